#pragma once

#include "jobs/cordon.h"
#include "jobs/members.h"
#include "jobs/reason.h"

namespace drover::jobs {

// The workers of a cluster, as far as they decide who can run a job.
struct Crew {
    struct Member {
        WorkerInfo info;
        std::optional<Cordon> cordon;
    };
    std::vector<Member> members;

    // Those that may claim jobs: they are not cordoned.
    std::vector<WorkerInfo> available() const;
    // Those that may run such a job, if they have the room: they are not cordoned, and their machines can.
    std::vector<const Member *> fitFor(const JobSpec &spec) const;
};

// Waits out lost connections; throws SessionLost.
async::Task<Crew> readCrew(zk::Coordinator &zk, Layout layout);

// Why none of them can ever run such a job: its queue, its labels, its slots, its memory.
std::optional<Reason> whyUnfit(const Crew &crew, const JobSpec &spec);
// The same, or that those which could are cordoned, or their machines cannot run anything.
std::optional<Reason> whyNoWorker(const Crew &crew, const JobSpec &spec);

} // namespace drover::jobs
