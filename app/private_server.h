#pragma once

#include "zk/local_server.h"

namespace drover::app {

// The ZooKeeper server of `drover up`, and of benchmarks. It looks for sessions that are over every tick: who has died is
// noticed half a second late at most, not two as with ZooKeeper's own tick. The time-outs are those of that.
inline zk::LocalServerOptions privateServer(const QString &directory)
{
    zk::LocalServerOptions options;
    options.directory = directory;
    options.tickTime = std::chrono::milliseconds(500);
    options.minSessionTimeout = std::chrono::seconds(2);
    options.maxSessionTimeout = std::chrono::seconds(40);
    return options;
}

} // namespace drover::app
