#include "core/recipes/workload.h"

namespace drover::test {

using namespace std::chrono_literals;

// As the command under `drover lock` does, it writes through a session that knows nothing of the lock's. When the
// process has stood still for too long before, only the fence stops the write.
async::Task<void> Process::writeUnder(recipes::Fence fence, QByteArray resource)
{
    ++held;
    const InvariantChecker::Hold hold(checker, resource, fence, *zk);
    for (int writes = 1 + random.below(2); writes > 0; --writes) {
        co_await rest(200ms);
        if (random.chance(0.05))
            loop.freezeFor(some(15s));
        if (random.chance(0.1))
            co_await holdForLong(fence.path);
        co_await rest(50ms);
        zk::Transaction transaction;
        fence.guard(transaction).set(InvariantChecker::resource(resource), fence.token());
        const zk::Answer<zk::Committed> committed = co_await steady.commit(transaction);
        refused += !committed.ok();
    }
}

// Longer than a session lives unheard. What it reads meanwhile proves nothing about its session.
async::Task<void> Process::holdForLong(zk::Path path)
{
    for (int reads = 0; reads < 20; ++reads) {
        co_await rest(2s);
        try {
            const zk::Answer<zk::Stat> read = co_await zk->exists(path);
            Q_UNUSED(read)
        } catch (const zk::ConnectionLoss &) {
        }
    }
}

std::vector<WorkloadKind> allWorkloads()
{
    std::vector<WorkloadKind> all;
    for (const auto &some : {lockWorkloads(), semaphoreWorkloads(), electionWorkloads(), meetingWorkloads(),
                             valueWorkloads(), queueWorkloads()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

} // namespace drover::test
