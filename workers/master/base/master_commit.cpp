#include "workers/master/base/master_commit.h"

#include "recipes/blocks/persistent.h"

namespace drover::workers {

async::Task<std::optional<std::size_t>> commitAsMaster(zk::Client &zk, zk::Transaction transaction)
{
    const zk::Answer<zk::Committed> committed = co_await recipes::Persistent(zk).commit(transaction);
    if (committed.ok())
        co_return std::nullopt;
    const std::optional<std::size_t> refused = committed->refusedAt();
    if (refused == 0u)
        throw Deposed();
    if (!refused)
        committed.require();
    co_return refused;
}

} // namespace drover::workers
