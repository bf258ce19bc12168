#pragma once

#include "zk/client.h"

namespace drover::recipes {

// Repeats a read, or a write that may be repeated, until a server has answered. Waits out lost connections; throws
// SessionLost when the session has ended. `send` makes the request: [&] { return zk.children(path); }. It must be a
// named object (await to a name).
template <typename Send>
auto persist(zk::Client &zk, const Send &send) -> async::Task<decltype(send().operator co_await().await_resume())>
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

// Like persist(), for a read that must show all that was committed before it was sent, also after a failover to a
// server that lags. The sync is sent just before the read, and both answers are awaited. A broken connection may lose
// the sync alone, and the read would then go to another server.
template <typename Send>
auto persistSynced(zk::Client &zk, zk::Path path, const Send &send)
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
