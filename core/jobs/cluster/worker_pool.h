#pragma once

#include "jobs/cluster/cordon.h"
#include "jobs/cluster/members.h"
#include "jobs/model/job_spec.h"

namespace drover::jobs {

// The workers of a cluster, with all data that decide which of them can run a job.
struct WorkerPool {
    struct Member {
        WorkerInfo info;
        std::optional<Cordon> cordon;

        bool hasLabels(const QStringList &labels) const;
        bool isLargeEnough(const Needs &needs) const;
    };
    using Chosen = std::vector<const Member *>;

    std::vector<Member> members;

    // The workers that may claim jobs: those without a cordon.
    std::vector<WorkerInfo> available() const;
    Chosen serving(const QByteArray &queue) const;
    // The workers of its queue that have its labels and are large enough, cordoned ones included.
    Chosen suitedFor(const JobSpec &spec) const;
    // The workers that may run such a job once they have room: without a cordon, and on a machine that can run jobs.
    Chosen fitFor(const JobSpec &spec) const;
};

// Waits out lost connections; throws SessionLost.
async::Task<WorkerPool> readWorkerPool(Cluster cluster);

} // namespace drover::jobs
