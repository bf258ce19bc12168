#pragma once

#include "recipes/lock.h"

namespace drover::recipes {

// Asking a holder to let go, which it is free to do or not (Curator's Revocable and Revoker): whoever wants the lock
// writes "__REVOKE__" into the holder's node.

// Asks the process that holds or waits with this node. Nothing happens if it is gone already. What tells a create whose
// reply was lost stays in the data of ZooKeeper's own layout, which has no room for it in the name: Curator's Revoker,
// which is not made for that layout, overwrites it. Throws SessionLost.
async::Task<void> askRevocation(zk::Coordinator &zk, zk::Path node);

// Returns when the holder of this node, which has to be us, is asked; also when that was while it still waited. A data
// watch on our own node, which tells of its deletion as well: throws TicketRevoked then, or SessionLost. Run it beside
// the work and cancel it before the release.
async::Task<void> revocationAsked(zk::Coordinator &zk, Fence fence);

} // namespace drover::recipes
