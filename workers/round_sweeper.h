#pragma once

#include "jobs/layout.h"
#include "recipes/fence.h"
#include "zk/coordinator.h"

namespace drover::workers {

// The master's duty towards rounds of gangs that are no longer there: somebody has deleted the gang's node by hand. Its
// members would keep their places, and slots, for others that never come.
//
//     once a minute: list gangs/; of each round look whether its gang is unfinished
//     if it is not: list its queue, and cancel (jobs::cancel) the members that are there
//     once there are none: check(master) ; remove what is in the round, and the round
//
// A member whose round was deleted as well its worker cancels (Admission).
class RoundSweeper
{
public:
    static constexpr std::chrono::minutes Interval{1};

    RoundSweeper(zk::Coordinator &zk, jobs::Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    // Throws Deposed, SessionLost, AccessDenied.
    async::Task<void> run(recipes::Fence fence);

private:
    async::Task<void> sweep(zk::Path round, recipes::Fence fence);
    async::Task<void> removeRound(zk::Path round, recipes::Fence fence);
    async::Task<std::vector<jobs::JobId>> membersOf(jobs::JobId gang);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
};

} // namespace drover::workers
