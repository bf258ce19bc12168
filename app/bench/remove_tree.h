#pragma once

#include "zk/coordinator.h"

namespace drover::app {

// Deletes a node and all below it, what others still add there as well; it may be missing. Throws SessionLost.
async::Task<void> removeTree(zk::Coordinator &zk, zk::Path path);

} // namespace drover::app
