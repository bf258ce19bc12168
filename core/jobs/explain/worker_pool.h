#pragma once

#include "jobs/cluster/cordon.h"
#include "jobs/cluster/members.h"
#include "jobs/explain/explanation.h"
#include "jobs/model/job_spec.h"

namespace drover::jobs {

// The workers of a cluster, with all data that decide which of them can run a job.
struct WorkerPool {
    struct Member {
        WorkerInfo info;
        std::optional<Cordon> cordon;
    };
    std::vector<Member> members;

    // The workers that may claim jobs: those without a cordon.
    std::vector<WorkerInfo> available() const;
    // The workers that may run such a job once they have room: without a cordon, and on a machine that can run jobs.
    std::vector<const Member *> fitFor(const JobSpec &spec) const;
};

// Waits out lost connections; throws SessionLost.
async::Task<WorkerPool> readWorkerPool(Cluster cluster);

// Why no worker of the pool can ever run such a job: its queue, its labels, its slots, its memory.
std::optional<Reason> whyUnfit(const WorkerPool &pool, const JobSpec &spec);
// Why no worker can run such a job now: the reasons of whyUnfit(), or all fit workers are cordoned or on failing
// machines.
std::optional<Reason> whyNoWorker(const WorkerPool &pool, const JobSpec &spec);

} // namespace drover::jobs
