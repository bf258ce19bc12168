#pragma once

#include "zk/coordinator.h"

namespace drover::jobs {

// Requests that share a round trip: more would only make their replies wait for one another.
constexpr std::size_t Flight = 64;

// Reads nodes, a flight at a time, each flight in the order of the paths; waits out lost connections. One that may not
// be read has the answer NoAuth: whoever made it stops nobody. Throws SessionLost.
async::Task<std::vector<zk::Answer<zk::Node>>> readNodes(zk::Coordinator &zk, std::vector<zk::Path> paths);

} // namespace drover::jobs
