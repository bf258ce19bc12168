#pragma once

#include "zk/client.h"

#include <functional>

namespace drover::recipes {

// Calls `onChange` with the children of `path` now and after every change of them, until it is destroyed or the session
// ends (SessionLost). Changes in quick succession are seen as one. The list of a missing node is empty, and its
// creation is a change. Uses one watch. `onChange` must not destroy the task.
async::Task<void> followChildren(zk::Client &zk, zk::Path path, std::function<void(const zk::Children &)> onChange);

// Like followChildren(), for the data of a node; nullptr while the node does not exist.
async::Task<void> followData(zk::Client &zk, zk::Path path, std::function<void(const zk::Node *)> onChange);

// Limits how often to read, for programs that show things to people. The time between the beginnings of two reads is at
// least `between(duration of the last read, number of names)`. A single change is reported at once.
struct Pace {
    std::function<async::Duration(async::Duration took, qsizetype names)> between;
    int *armed = nullptr; // if set: counts armed watches; must outlive the task
};

// Follow at a pace, and pass on the server's answer: a missing node is NoNode, not an empty list. They throw
// AccessDenied as well.
async::Task<void> followChildren(zk::Client &zk, zk::Path path, Pace pace,
                                 std::function<void(const zk::Answer<zk::Children> &)> show);
async::Task<void> followData(zk::Client &zk, zk::Path path, Pace pace,
                             std::function<void(const zk::Answer<zk::Node> &)> show);

} // namespace drover::recipes
