#pragma once

#include "jobs/cluster/free_room.h"
#include "jobs/explain/explanation.h"

namespace drover::jobs {

// Part of explain(): why none of these workers, which could run the job, has room now (FreeRoom). Empty if one has.
// `claims` are all claims of the cluster. For a job that needs no memory `taken` may be empty.
std::vector<Reason> whyNoRoom(const JobId &job, const Needs &needs, const WorkerPool::Chosen &workers,
                              const std::vector<StoredClaim> &claims, const TakenMemory &taken);

} // namespace drover::jobs
