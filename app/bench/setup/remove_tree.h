#pragma once

#include "zk/client.h"

namespace drover::app {

// Deletes a node and all nodes below it, also nodes that other sessions still add. The node may be missing. Throws
// SessionLost.
async::Task<void> removeTree(zk::Client &zk, zk::Path path);

} // namespace drover::app
