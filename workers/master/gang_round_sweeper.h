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
// If the round was deleted as well, the workers cancel its members (PendingJobs).
class GangRoundSweeper
{
public:
    static constexpr std::chrono::minutes Interval{1};

    explicit GangRoundSweeper(jobs::Cluster cluster) : m_cluster(std::move(cluster)) { }

    // Throws Deposed, SessionLost, AccessDenied.
    async::Task<void> run(recipes::Fence fence);

private:
    async::Task<void> sweep(zk::Path round, recipes::Fence fence);
    async::Task<void> removeRound(zk::Path round, recipes::Fence fence);
    async::Task<std::vector<jobs::JobId>> membersOf(jobs::JobId gang);

    jobs::Cluster m_cluster;
};

} // namespace drover::workers
