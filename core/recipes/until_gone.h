#pragma once

#include "zk/coordinator.h"

namespace drover::recipes {

// Returns when the node that the transaction `czxid` made is no longer at `path`: deleted, or replaced by another of
// the same name. Changes of its data do not matter. One watch, one event. Waits out lost connections; throws
// SessionLost. Without a czxid: the node that is there at the first look, if any.
async::Task<void> untilGone(zk::Coordinator &zk, zk::Path path, zk::Zxid czxid = 0);

} // namespace drover::recipes
