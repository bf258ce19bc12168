#pragma once

#include "recipes/node_kind.h"

namespace drover::recipes {

// Stops a set of processes until somebody lets them go on (Curator's DistributedBarrier, kazoo's Barrier).
//
//     <path>                   persistent; while it exists the barrier is closed
//
//     close: create the node; one that exists will do
//     open:  delete the node; a missing one will do
//     wait:  sync, then until the node is gone, watching it -- one watch and one wake-up a waiter: all have to know
//
// Nobody holds a barrier: it stays closed when the session that closed it ends, so there is no fence. A waiter is no
// node, so nothing is left behind by one that is cancelled (destruction, orTimeout) or expires. Suspended: a waiter
// waits on; an opening that it missed is noticed after the reconnection, also if the barrier was closed again since.
// Lost reply: close() and open() are repeated, so each may take effect twice: an open() of somebody else that came in
// between may be undone. Parent deleted: as open(), for the node goes first; close() makes it anew.
class Barrier
{
public:
    Barrier(zk::Coordinator &zk, zk::Path path) : m_zk(zk), m_path(std::move(path)) { }

    // All throw SessionLost. open() throws UnexpectedAnswer when the node has children: it is no barrier.
    async::Task<void> close();
    async::Task<void> open();
    async::Task<void> wait();

    // A barrier has no children: what has any is something else.
    static bool accepts(const QByteArray &) { return false; }

private:
    zk::Coordinator &m_zk;
    zk::Path m_path;
};

} // namespace drover::recipes
