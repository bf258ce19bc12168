#pragma once

#include "zk/client.h"

namespace drover::jobs {

// The number of reads that are sent together. With 64 of them the round trip hardly counts. Replies come in the order
// of the requests, so a claim or a report waits for at most one flight. And the replies, up to a megabyte each, are not
// all in memory at once.
constexpr std::size_t Flight = 64;

// Reads nodes, a flight at a time, in the order of the paths. Waits out lost connections. A node that this session may
// not read has the answer NoAuth, and does not stop the others. Throws SessionLost.
async::Task<std::vector<zk::Answer<zk::Node>>> readNodes(zk::Client &zk, std::vector<zk::Path> paths);

struct ReadChild {
    QByteArray name;
    zk::Node node;
};

// The children by name that are still there when they are read, and that this session may read. A directory that is
// missing has none. Throws SessionLost.
async::Task<std::vector<ReadChild>> readChildren(zk::Client &zk, zk::Path directory);

} // namespace drover::jobs
