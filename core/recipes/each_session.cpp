#include "recipes/each_session.h"

#include "async/first_of.h"

#include <algorithm>

namespace drover::recipes {

namespace {

async::Task<void> throwWhenLost(zk::Coordinator &zk)
{
    co_await zk.lost();
    throw zk::SessionLost(QStringLiteral("the ZooKeeper session has ended"));
}

} // namespace

async::Task<void> forEachSession(async::Loop &loop, Connect connect, SessionBody body, OnSessionLoss onLoss,
                                 SessionPauses pauses)
{
    std::chrono::milliseconds pause = pauses.first;
    for (;;) {
        std::shared_ptr<zk::Coordinator> session = connect();
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

async::Task<void> whileAlive(zk::Coordinator &zk, async::Task<void> task)
{
    std::vector<async::Task<void>> parts;
    parts.push_back(std::move(task));
    parts.push_back(throwWhenLost(zk));
    co_await async::firstOf(zk.loop(), std::move(parts));
}

} // namespace drover::recipes
