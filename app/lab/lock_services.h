#pragma once

#include "app/lab/lease_lock.h"
#include "app/lab/scratch_daemon.h"
#include "zk/path.h"

namespace drover::app {

// The locks that people choose between. Those that were not built in, or whose server is not installed, say so.
class LockServices
{
public:
    // Starts what is not ZooKeeper's. The daemons live as long as this object.
    async::Task<void> start(async::Loop &loop, QString zooKeeper, zk::Path root);

    const std::vector<LockService> &all() const { return m_all; }

private:
    std::vector<LockService> m_all;
    ScratchDaemon m_redis;
    ScratchDaemon m_memcached;
};

} // namespace drover::app
