#pragma once

#include "zk/server/local_server.h"

namespace drover::app {

// The options of the ZooKeeper server of `drover up`, `drover demo` and the benchmarks. A server looks for expired
// sessions once a tick. With this tick an expiry is noticed at most half a second late; with ZooKeeper's default tick,
// two seconds. The bounds of the session time-out are those of the default tick.
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
