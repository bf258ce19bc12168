#pragma once

#include "jobs/cluster/read_nodes.h"
#include "zk/client.h"

#include <functional>

namespace drover::gui {

// recipes::followChildren() at a pace for people: a single change is shown at once, many changes are shown in steps.
// Listings begin at least 250 ms apart, four times as long as the last one took, and a second for every 10,000 names.
// They are never kept apart for more than 10 s. So the cost of a busy directory has a bound, and the delay too.
// `show` also gets the answer NoNode, and is called again when the node appears. `armed` counts the watch while there
// is one. Throws SessionLost and AccessDenied. Neither function may destroy the task.
async::Task<void> followPaced(zk::Client &zk, zk::Path path, int &armed,
                              std::function<void(const zk::Answer<zk::Children> &)> show);

// Follows the data of a node, read four times a second at most.
async::Task<void> followDataPaced(zk::Client &zk, zk::Path path, int &armed,
                                  std::function<void(const zk::Answer<zk::Node> &)> show);

// Reads many nodes, `flight` at a time; calls `got(index, answer)` in the order of `paths`.
async::Task<void> readEach(zk::Client &zk, std::vector<zk::Path> paths,
                           std::function<void(std::size_t, const zk::Answer<zk::Node> &)> got,
                           std::size_t flight = jobs::Flight);

// Lists many nodes, pipelined and without watches; calls `got(index, answer)` in the order of `paths`.
async::Task<void> listEach(zk::Client &zk, std::vector<zk::Path> paths,
                           std::function<void(std::size_t, const zk::Answer<zk::Children> &)> got);

} // namespace drover::gui
