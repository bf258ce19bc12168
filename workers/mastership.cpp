#include "workers/mastership.h"

#include "recipes/persist.h"

namespace drover::workers {

async::Task<int> commitAsMaster(zk::Coordinator &zk, zk::Transaction transaction)
{
    const auto commit = [&] { return zk.commit(transaction); };
    const zk::Answer<zk::Committed> committed = co_await recipes::persist(zk, commit);
    if (committed.ok())
        co_return -1;
    const int failed = committed->failedAt();
    if (failed == 0)
        throw Deposed();
    if (failed < 0)
        committed.require();
    co_return failed;
}

} // namespace drover::workers
