#pragma once

#include "recipes/blocks/fence.h"
#include "zk/client.h"

namespace drover::recipes {

// A waiter or holder of a line or an election; the name of its znode is fence.path.name().
struct Participant {
    Fence fence;
    QByteArray data; // in an election: the participant's id
};

// The participants of the line in this directory, in order: the holders, then the waiters. Two round trips for any
// length. Participants that come or go meanwhile may be missing; the order is right. Throws SessionLost.
async::Task<std::vector<Participant>> participants(zk::Client &zk, zk::Path directory);

// The owner of the node at `path`, if it exists. The fence identifies the owner, but must not guard writes, because it
// lacks the epoch. Throws SessionLost.
async::Task<std::optional<Participant>> holderOf(zk::Client &zk, zk::Path path);

} // namespace drover::recipes
