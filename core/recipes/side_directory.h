#pragma once

#include "zk/coordinator.h"

namespace drover::recipes {

// Makes the directory of ephemeral nodes that are kept beside what foreign programs read: a container, which the server
// deletes some time after the last of them has gone. Waits out lost connections; throws SessionLost.
async::Task<void> ensureSideDirectory(zk::Coordinator &zk, zk::Path directory);

} // namespace drover::recipes
