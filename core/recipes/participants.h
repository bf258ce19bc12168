#pragma once

#include "recipes/fence.h"
#include "zk/coordinator.h"

namespace drover::recipes {

// Somebody who stands in a line or an election, or holds what it is about; the name of its znode is fence.path.name().
struct Participant {
    Fence fence;
    QByteArray data; // in an election its id
};

// Who stands in the line of this directory, in order: those who hold, then those who wait. Two round trips, however
// long it is. Members that come or go meanwhile may be missing; none is out of order. Throws SessionLost.
async::Task<std::vector<Participant>> participants(zk::Coordinator &zk, zk::Path directory);

// Who has the node at `path`, if anybody. Its fence is good for recognising it, not for guarding its writes: it lacks
// the epoch. Throws SessionLost.
async::Task<std::optional<Participant>> holderOf(zk::Coordinator &zk, zk::Path path);

} // namespace drover::recipes
