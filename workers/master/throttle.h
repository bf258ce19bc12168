#pragma once

#include "jobs/cluster/backpressure.h"
#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"

namespace drover::workers {

// Makes claims pause in the whole cluster while too many final records wait for the history. The master decides once a
// second:
//
//     done_limit records wait, and the history fails:      pause
//     twice as many wait, whatever the history does:       pause (it is too slow, or the master is new)
//     fewer than done_limit wait:                          no pause
//     pause:      guard ; create ephemeral throttle/claims    deletes another master's in that transaction
//     no pause:   guard ; delete throttle/claims
//
// Workers watch the node (Dispatcher). While it exists they claim nothing, and return the jobs that they have claimed
// and not begun; running jobs go on. A worker whose server has not reported the node yet claims a little longer: for
// milliseconds, and never longer than its session time-out. So at most twice done_limit records wait, and one more for
// each job that runs or is claimed in that time. Jobs that end unclaimed (cancelled, moved, lost dependencies) are not
// held back.
//
//     a reply is lost    The next round looks whether the node exists.
//     the master dies    The node goes with its session. Claims go on until the next master has counted.
//     it is deposed      It discards its node. Until then the next master deletes the node or replaces it by its own.
class Throttle
{
public:
    explicit Throttle(jobs::Cluster cluster) : m_cluster(std::move(cluster)) { }

    // Whether too many records wait. `waiting`: final records that are not known to be archived.
    bool isOverfull(qint64 waiting, bool failing, qint64 limit);
    // Creates or removes the node, unless it is as it should be. Throws Deposed, SessionLost.
    async::Task<void> show(recipes::Fence fence, bool pause, QString reason);
    // Unix epoch; 0: claims do not pause.
    std::chrono::milliseconds since() const { return m_since; }

private:
    jobs::Cluster m_cluster;
    bool m_overfull = false;
    std::chrono::milliseconds m_since{};
};

} // namespace drover::workers
