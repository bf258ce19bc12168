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

} // namespace drover::recipes
