#include "core/recipes/game.h"

namespace drover::test {

using namespace std::chrono_literals;

// As the command under `drover lock` does, it writes through a session that knows nothing of the lock's. When the
// process has stood still for too long before, only the fence stops the write.
async::Task<void> Player::writeUnder(recipes::Fence fence, QByteArray resource)
{
    ++held;
    const Judge::Hold hold(judge, resource, fence);
    for (int writes = 1 + random.below(2); writes > 0; --writes) {
        co_await rest(200ms);
        if (random.chance(0.05))
            loop.freezeFor(some(15s));
        co_await rest(50ms);
        zk::Transaction transaction;
        fence.guard(transaction).set(Judge::resource(resource), fence.token());
        const zk::Answer<zk::Committed> committed = co_await steady.commit(transaction);
        refused += !committed.ok();
    }
}

std::vector<GameKind> allGames()
{
    std::vector<GameKind> all;
    for (const auto &some :
         {lockGames(), semaphoreGames(), electionGames(), meetingGames(), valueGames(), queueGames()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

} // namespace drover::test
