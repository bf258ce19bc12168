#pragma once

#include "async/loop.h"
#include "zk/coordinator.h"

#include <functional>

namespace drover::gui {

// How long after the beginning of one listing the next may begin: four a second at most, a quarter of the time when
// listings are slow, and a second for every 10,000 names, so that a busy directory costs the server and us the same
// whatever happens in it.
async::Duration pauseAfter(async::Duration took, qsizetype names);

// recipes::followChildren() at that pace: a change that comes alone is shown at once, a flood of them in steps.
// `show` also gets the answer NoNode, and is called again when the node appears. `armed` counts the watch while there
// is one. Throws SessionLost and AccessDenied. Neither function may destroy the task.
async::Task<void> followPaced(zk::Coordinator &zk, zk::Path path, int &armed,
                              std::function<void(const zk::Answer<zk::Children> &)> show);

// Data in the same way. A node of this kind changes rarely: four a second at most.
async::Task<void> followDataPaced(zk::Coordinator &zk, zk::Path path, int &armed,
                                  std::function<void(const zk::Answer<zk::Node> &)> show);

// Reads many nodes, in flights; `got(index, answer)` in the order of `paths`.
async::Task<void> readNodes(zk::Coordinator &zk, std::vector<zk::Path> paths,
                            std::function<void(std::size_t, const zk::Answer<zk::Node> &)> got);

} // namespace drover::gui
