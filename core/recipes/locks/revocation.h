#pragma once

#include "recipes/locks/lock.h"

namespace drover::recipes {

// A contender may ask a holder to release its lock; the holder decides (Curator's Revocable and Revoker). The contender
// writes "__REVOKE__" into the holder's node.

// Asks the process that holds or waits with this node. Does nothing if the node is gone. In ZooKeeper's own layout the
// data begins with a uuid, by which a create with a lost reply is recognised; it is kept. (Curator's Revoker overwrites
// it, but is not made for that layout.) Throws SessionLost.
async::Task<void> askRevocation(zk::Client &zk, zk::Path node);

// The data by which a contender asks, where the node `name` of the holder has `data`.
QByteArray requestIn(const QByteArray &name, const QByteArray &data);

// Whether the recipe whose nodes have such names knows requests. In a node of another recipe a request overwrites what
// its programs need: in Curator's LeaderLatch the participant's id.
bool knowsRequests(const QByteArray &name);

// Returns when a contender has asked the holder of this node, which must be this session; also if it asked while the
// holder still waited. Throws TicketRevoked if the node is deleted, and SessionLost. Uses one data watch on the node.
// Run it beside the work, and cancel it before the release.
async::Task<void> revocationAsked(zk::Client &zk, Fence fence);

} // namespace drover::recipes
