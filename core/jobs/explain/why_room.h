#pragma once

#include "jobs/cluster/free_room.h"
#include "jobs/explain/explanation.h"

namespace drover::jobs {

// Part of explain(): why none of these workers, which could run the job, has room now (FreeRoom). Empty if one has.
// `claims` are all claims of the cluster.
async::Task<std::vector<Reason>> whyNoRoom(Cluster cluster, JobId job, Needs needs, WorkerPool::Chosen workers,
                                           std::vector<StoredClaim> claims);

} // namespace drover::jobs
