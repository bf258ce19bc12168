#pragma once

#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"
#include "zk/client.h"

namespace drover::workers {

// The master's duty towards rounds whose gang was deleted by hand. The members would keep their places, and slots, for
// other members that never come.
//
//     once a minute: list gangs/; look for the gang of each round
//     the gang is gone: list its queue, and cancel (jobs::cancel) the members that are there
//     no member is left: check(master) ; remove the children of the round, and the round
//
// If the round was deleted as well, the workers cancel its members (PendingJobs). Throws Deposed, SessionLost,
// AccessDenied.
async::Task<void> sweepGangRounds(jobs::Cluster cluster, recipes::Fence fence);

} // namespace drover::workers
