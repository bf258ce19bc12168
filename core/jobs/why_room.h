#pragma once

#include "jobs/crew.h"

namespace drover::jobs {

// Part of explain(): why none of these workers, which could run the job, has the room now; nothing if one has. `claims`
// are all of the cluster's. What is claimed ahead and has not begun counts as running.
async::Task<std::vector<Reason>> whyNoRoom(zk::Coordinator &zk, Layout layout, JobId job, Needs needs,
                                           std::vector<const Crew::Member *> workers, std::vector<StoredClaim> claims);

// Whether a worker other than `worker` has room for this job now, and keeps it for nobody. Throws SessionLost.
async::Task<bool> hasRoomElsewhere(zk::Coordinator &zk, Layout layout, JobId job, JobSpec spec, QString worker);

} // namespace drover::jobs
