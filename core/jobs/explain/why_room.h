#pragma once

#include "jobs/explain/worker_pool.h"

namespace drover::jobs {

// Part of explain(): why none of these workers, which could run the job, has room now. Empty if one has. `claims` are
// all claims of the cluster. Jobs that are claimed ahead of their slot count as running.
async::Task<std::vector<Reason>> whyNoRoom(Cluster cluster, JobId job, Needs needs,
                                           std::vector<const WorkerPool::Member *> workers,
                                           std::vector<StoredClaim> claims);

// Whether a worker other than `worker` has room for this job now that is not reserved for another. Throws SessionLost.
async::Task<bool> hasRoomElsewhere(Cluster cluster, JobId job, JobSpec spec, QString worker);

} // namespace drover::jobs
