#include "recipes/blocks/each_session.h"

#include "async/first_of.h"
#include "zk/session_end.h"

#include <algorithm>

namespace drover::recipes {

namespace {

async::Task<void> throwWhenLost(zk::Client &zk)
{
    co_await zk.lost();
    throw zk::sessionHasEnded();
}

} // namespace

async::Task<void> forEachSession(async::Loop &loop, Connect connect, SessionBody body, OnSessionLoss onLoss,
                                 SessionPauses pauses)
{
    std::chrono::milliseconds pause = pauses.first;
    for (;;) {
        std::shared_ptr<zk::Client> session = connect();
        try {
            co_await body(*session);
            co_return;
        } catch (const zk::SessionLost &error) {
            if (session->sessionId() != 0) // a server has made it: ZooKeeper was there
                pause = pauses.first;
            if (onLoss)
                onLoss(error, pause);
        }
        session.reset();
        co_await async::sleepFor(loop, pause);
        pause = std::min(2 * pause, pauses.longest);
    }
}

async::Task<void> whileAlive(zk::Client &zk, async::Task<void> task)
{
    co_await async::firstOf(zk.loop(), std::move(task), throwWhenLost(zk));
}

} // namespace drover::recipes
