#pragma once

#include "app/bench/relay/delay_relay.h"
#include "support/await.h"
#include "support/co_check.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

namespace drover::test {

// A server and sessions with it, for tests of Session.
class SessionFixture
{
public:
    TestServer server;
    async::QtLoop loop;

    // Time-out 20 s: a machine that stands still for some seconds ends no session that a test wants to keep.
    zk::SessionOptions options() const;
    // Time-out 6 s, for sessions that are to expire.
    zk::SessionOptions mortal() const;
    // Through a relay, which can cut, refuse or silence the connection.
    zk::SessionOptions options(const app::DelayRelay &relay) const;
    std::unique_ptr<zk::Session> connected(const zk::SessionOptions &options);
};

async::Task<zk::Code> existence(zk::Client &zk, zk::Path path);

// What became of an operation: its answer's code or that of the exception it threw.
template <typename T>
async::Task<zk::Code> outcome(zk::Reply<T> reply)
{
    try {
        const zk::Answer<T> answer = co_await reply;
        co_return answer.code();
    } catch (const zk::Error &error) {
        co_return error.code();
    }
}

} // namespace drover::test
