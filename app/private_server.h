#pragma once

#include "zk/local_server.h"

namespace drover::app {

// The ZooKeeper server of `drover up`, `drover demo` and the benchmarks. A server looks for expired sessions once a tick:
// with this one a death is noticed half a second late at most, with ZooKeeper's own tick two seconds. The bounds of the
// session time-out are those of ZooKeeper's own tick.
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
