#pragma once

#include "jobs/job_lookup.h"

namespace drover::jobs {

// Why a job is where it is, a line each: what keeps it, and what would help. The first is the one that matters now.
struct Reason {
    QString what; // "no worker has the label gpu"
    QString advice{}; // "start one: drover worker --label gpu"; empty: nothing to do but wait
};

struct Explanation {
    JobView job;
    std::vector<Reason> reasons;
};

// Looks at the job, at those it waits for, at the workers and at its queue: reads, counters and one listing of the
// queue. Throws NotFound, SessionLost, ConnectionLoss.
async::Task<Explanation> explain(zk::Coordinator &zk, Layout layout, JobId id);

} // namespace drover::jobs
