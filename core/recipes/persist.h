#pragma once

#include "zk/coordinator.h"

namespace drover::recipes {

// Repeats a read, or a write that may be repeated, until a server has answered; waits out lost connections. Throws
// SessionLost when there is no session left to ask. `send` makes the request: [&] { return zk.children(path); }, and
// has to be a named object (await to a name).
template <typename Send>
auto persist(zk::Coordinator &zk, const Send &send) -> async::Task<decltype(send().operator co_await().await_resume())>
{
    for (;;) {
        try {
            const auto reply = send();
            auto answer = co_await reply;
            co_return answer;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

// The same for a read whose answer has to show all that was committed before it was sent, also after a failover to a
// server that lags. The sync goes ahead of the read in the same flight, and both answers are awaited: a connection that
// breaks may take the sync alone, and the read to another server.
template <typename Send>
auto persistSynced(zk::Coordinator &zk, zk::Path path, const Send &send)
    -> async::Task<decltype(send().operator co_await().await_resume())>
{
    for (;;) {
        try {
            const auto syncing = zk.sync(path);
            const auto reply = send();
            const zk::Answer<zk::Nothing> synced = co_await syncing;
            auto answer = co_await reply;
            co_return answer;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace drover::recipes
