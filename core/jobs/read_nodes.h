#pragma once

#include "zk/coordinator.h"

namespace drover::jobs {

// Reads that are sent together. A session's requests are answered in their order: with 64 of them the round trip hardly
// counts any more, a claim or a report that comes between waits for no more than one flight, and the replies, up to a
// megabyte each, are not all in memory at once.
constexpr std::size_t Flight = 64;

// Reads nodes, a flight at a time, each flight in the order of the paths; waits out lost connections. One that may not
// be read has the answer NoAuth: whoever made it stops nobody. Throws SessionLost.
async::Task<std::vector<zk::Answer<zk::Node>>> readNodes(zk::Coordinator &zk, std::vector<zk::Path> paths);

} // namespace drover::jobs
