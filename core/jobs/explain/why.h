#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/explain/explanation.h"

namespace drover::jobs {

// Why a job is in its present state. The first reason is the decisive one now.
struct Explanation {
    JobView job;
    std::vector<Reason> reasons;
};

// Reads the job, the jobs that it waits for, the workers and their claims, its queue, and at most a thousand jobs ahead
// of it. For an array it also reads the open tasks. It writes nothing. Throws NotFound, SessionLost and ConnectionLoss.
async::Task<Explanation> explain(Cluster cluster, JobId id);

// Explains a job that has ended, found in ZooKeeper or in the history.
Explanation explainEnded(JobView job);

} // namespace drover::jobs
