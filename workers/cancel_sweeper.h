#pragma once

#include "async/event.h"
#include "jobs/layout.h"
#include "recipes/fence.h"
#include "zk/coordinator.h"

namespace drover::workers {

// The master's duty towards jobs that were cancelled while they ran: their workers end them, unless they are lost first.
//
//     follow cancels/ (jobs::cancel makes a node there for each); once a second, while there are any:
//     read the claims of those that are noted
//     whose claim has gone:    cancel the job (jobs::cancel), which ends it unless it has ended
//                              check(master) ; remove the note
//
// The note comes with the mark in the job's node, and that stays: so what is cancelled here somebody has cancelled. A
// master that dies between the two leaves the note to the next.
class CancelSweeper
{
public:
    static constexpr std::chrono::seconds Interval{1};

    CancelSweeper(zk::Coordinator &zk, jobs::Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    // Throws Deposed, SessionLost, AccessDenied.
    async::Task<void> run(recipes::Fence fence);

private:
    async::Task<void> follow();
    async::Task<void> sweepAll(recipes::Fence fence);
    async::Task<void> sweep(QByteArrayList names, recipes::Fence fence);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    QByteArrayList m_noted;
    async::Event m_changed;
};

} // namespace drover::workers
