#pragma once

#include "jobs/job_lookup.h"
#include "jobs/reason.h"

namespace drover::jobs {

// Why a job is where it is, a line each. The first is the one that matters now.
struct Explanation {
    JobView job;
    std::vector<Reason> reasons;
};

// Looks at the job, at those it waits for, at the workers and what they have claimed, at its queue and at most a
// thousand of the jobs ahead of it; of an array also at its open tasks. Reads alone. Throws NotFound, SessionLost,
// ConnectionLoss.
async::Task<Explanation> explain(zk::Coordinator &zk, Layout layout, JobId id);

// The same of a job that has ended, wherever it was found.
Explanation explainEnded(JobView job);

} // namespace drover::jobs
