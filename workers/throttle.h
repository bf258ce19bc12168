#pragma once

#include "jobs/backpressure.h"
#include "recipes/fence.h"

namespace drover::workers {

// Whether claims pause in the cluster, because too many final records wait for the history. In the hands of the master,
// which decides once a second:
//
//     so many records as done_limit wait, and the history fails:     pause
//     twice as many wait, whatever the history does:                 pause (it is too slow, or the master is new)
//     fewer than done_limit wait:                                    no pause
//     pause:      guard ; create ephemeral backpressure              another master's is deleted in the same transaction
//     no pause:   guard ; delete backpressure
//
// Workers watch the node (Puller), claim nothing while it is there, and return what they have claimed and not begun.
// What runs goes on, and ends. A worker whose server has not told it yet claims a little longer. So the records that
// wait are at most twice done_limit, and one for each job that runs, or that is claimed until that worker has heard of
// the pause: milliseconds, and never longer than its session time-out. Jobs that end unclaimed (cancelled, moved, lost
// dependencies) are not held back.
//
//     a reply is lost    The next round looks what is there.
//     the master dies    The node goes with its session. Claims go on until the next master has counted.
//     it is deposed      It discards its node. Until then the next master deletes that, or makes its own in the place.
class Throttle
{
public:
    Throttle(zk::Coordinator &zk, jobs::Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    // Whether too many wait. `waiting`: final records that are not known to be archived.
    bool isOverfull(qint64 waiting, bool failing, qint64 limit);
    // Makes the cluster's state that. Throws Deposed, SessionLost.
    async::Task<void> show(recipes::Fence fence, bool pause, QString reason);
    // Unix epoch; 0: claims do not pause.
    std::chrono::milliseconds since() const { return m_since; }

private:
    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    bool m_overfull = false;
    std::chrono::milliseconds m_since{};
};

} // namespace drover::workers
