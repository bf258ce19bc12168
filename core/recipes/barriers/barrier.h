#pragma once

#include "recipes/blocks/node_kind.h"

namespace drover::recipes {

// Stops processes until another process opens the barrier (Curator's DistributedBarrier, kazoo's Barrier).
//
//     <path>                   persistent; while it exists the barrier is closed
//
//     close: create the node, unless it exists
//     open:  delete the node, if it exists
//     wait:  sync, then watch the node until it is gone     -- one watch and one wake-up for each waiter
//
// A barrier has no holder: it stays closed when the session that closed it ends, so there is no fence. A waiter has no
// node, so a waiter that is cancelled (destruction, orTimeout) or expires leaves nothing behind. Suspended: a waiter
// goes on waiting. After the reconnection it notices an opening that it missed, even if the barrier was closed again
// since. Lost reply: close() and open() are repeated, so each may take effect twice. A repeated close() may undo
// another process's open() that came in between. Parent deleted: counts as open(), because the node is deleted first;
// close() creates the parent again.
class Barrier
{
public:
    Barrier(zk::Client &zk, zk::Path path) : m_zk(zk), m_path(std::move(path)) { }

    // All throw SessionLost. open() throws UnexpectedAnswer if the node has children, because then it is not a barrier.
    async::Task<void> close();
    async::Task<void> open();
    async::Task<void> wait();

    // A barrier has no children: a node with children belongs to another recipe.
    static bool accepts(const QByteArray &) { return false; }

private:
    zk::Client &m_zk;
    zk::Path m_path;
};

} // namespace drover::recipes
