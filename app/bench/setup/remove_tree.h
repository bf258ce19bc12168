#pragma once

#include "zk/client.h"

namespace drover::app {

// Deletes a node and all nodes below it, also nodes that other sessions still add. The node may be missing. One
// that this session may not delete stays, and is reported. Throws SessionLost.
async::Task<void> removeTree(zk::Client &zk, zk::Path path);

} // namespace drover::app
