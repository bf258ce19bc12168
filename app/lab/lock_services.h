#pragma once

#include "app/lab/lease_lock.h"
#include "app/lab/scratch_daemon.h"
#include "zk/path.h"

namespace drover::app {

// The lock services of the comparison. A service that was not built in, or whose server is not installed, says so in
// `missing`.
class LockServices
{
public:
    // Starts the servers other than ZooKeeper. They end with this object.
    async::Task<void> start(async::Loop &loop, QString zooKeeper, zk::Path root);

    const std::vector<LockService> &all() const { return m_all; }

private:
    std::vector<LockService> m_all;
    ScratchDaemon m_redis;
    ScratchDaemon m_memcached;
};

} // namespace drover::app
