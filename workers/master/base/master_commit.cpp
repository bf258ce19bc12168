#include "workers/master/base/master_commit.h"

#include "recipes/blocks/persistent.h"

namespace drover::workers {

async::Task<int> commitAsMaster(zk::Client &zk, zk::Transaction transaction)
{
    const zk::Answer<zk::Committed> committed = co_await recipes::Persistent(zk).commit(transaction);
    if (committed.ok())
        co_return -1;
    const std::optional<std::size_t> refused = committed->refusedAt();
    if (refused == 0u)
        throw Deposed();
    if (!refused)
        committed.require();
    co_return static_cast<int>(*refused);
}

} // namespace drover::workers
