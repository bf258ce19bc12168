#pragma once

#include "zk/client.h"

namespace drover::recipes {

// Returns when the node that transaction `czxid` created is no longer at `path`: it was deleted, or replaced by another
// node of that name. Changes of its data do not matter. Without a czxid it waits for the node that exists at the first
// read, if any. Uses one watch for one event. Waits out lost connections; throws SessionLost.
async::Task<void> untilGone(zk::Client &zk, zk::Path path, zk::Zxid czxid = 0);

} // namespace drover::recipes
