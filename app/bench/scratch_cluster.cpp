#include "app/bench/scratch_cluster.h"

#include "recipes/persist.h"

#include <algorithm>

namespace drover::app {

async::Task<void> makeScratchCluster(zk::Coordinator &zk, jobs::Layout layout, qint64 jobs)
{
    const QByteArrayList queues(1, QByteArrayLiteral("default"));
    co_await jobs::ensureCluster(zk, layout, queues);
    jobs::ClusterConfig config;
    config.queueLimit = std::max(config.queueLimit, jobs);
    config.doneLimit = std::max(config.doneLimit, jobs);
    const zk::Path path = layout.config();
    const QByteArray data = config.encode();
    const auto write = [&] { return zk.set(path, data); };
    const zk::Answer<zk::Stat> written = co_await recipes::persist(zk, write);
    written.require();
}

} // namespace drover::app
