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

} // namespace drover::recipes
