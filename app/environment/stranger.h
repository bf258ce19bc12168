#pragma once

#include "async/loop.h"
#include "async/task.h"
#include "zk/client/connect_string.h"

namespace drover::app {

// The first of these addresses at which a program answers that is not a ZooKeeper server, and what it answers. Empty:
// none does within a second each.
async::Task<QString> strangerAmong(async::Loop &loop, zk::ServerList servers);

} // namespace drover::app
