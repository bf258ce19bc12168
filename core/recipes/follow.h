#pragma once

#include "zk/coordinator.h"

#include <functional>

namespace drover::recipes {

// Calls `onChange` with the children of `path` now and after every change of them, until destroyed or the session ends
// (SessionLost). Changes in quick succession are seen as one. While the node does not exist the list is empty, and its
// creation is a change. One watch. `onChange` must not destroy the task.
async::Task<void> followChildren(zk::Coordinator &zk, zk::Path path,
                                 std::function<void(const zk::Children &)> onChange);

// The same for the data of a node; nullptr while there is none.
async::Task<void> followData(zk::Coordinator &zk, zk::Path path, std::function<void(const zk::Node *)> onChange);

// How often to look, for who shows things to people: the time from the beginning of one look to that of the next is
// `between(what it took, how many names there were)` at least. A change that comes alone is shown at once.
struct Pace {
    std::function<async::Duration(async::Duration took, qsizetype names)> between;
    int *armed = nullptr; // counts the watch while there is one; unless null it outlives the task
};

// The same at a pace, with the answer itself: NoNode, when the node goes, is not an empty list. They throw AccessDenied
// as well.
async::Task<void> followChildren(zk::Coordinator &zk, zk::Path path, Pace pace,
                                 std::function<void(const zk::Answer<zk::Children> &)> show);
async::Task<void> followData(zk::Coordinator &zk, zk::Path path, Pace pace,
                             std::function<void(const zk::Answer<zk::Node> &)> show);

} // namespace drover::recipes
