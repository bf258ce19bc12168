#pragma once

#include "support/fake_session.h"
#include "support/run_task.h"

namespace drover::test {

// Two processes with a session each, and an onlooker who only asks.
struct World {
    VirtualLoop loop;
    FakeZooKeeper server{loop};
    ParticipantLoop first{loop};
    ParticipantLoop second{loop};
    std::unique_ptr<FakeSession> a;
    std::unique_ptr<FakeSession> b;

    explicit World(const FakeSessionOptions &options = {})
    {
        a = server.connect(first, options);
        b = server.connect(second, options);
        loop.runUntilIdle();
    }

    template <typename T>
    zk::Answer<T> get(zk::Reply<T> reply)
    {
        return runTask(loop, wait(std::move(reply)));
    }
    template <typename T>
    static async::Task<zk::Answer<T>> wait(zk::Reply<T> reply)
    {
        co_return co_await reply;
    }

    template <typename T>
    bool failsWith(zk::Reply<T> reply, zk::Code code)
    {
        try {
            get(std::move(reply));
            return false;
        } catch (const zk::Error &error) {
            return error.code() == code;
        }
    }

    zk::WatchEvent event(const zk::Watch &watch) { return runTask(loop, waitFired(watch)); }
    static async::Task<zk::WatchEvent> waitFired(const zk::Watch &watch)
    {
        async::Future<zk::WatchEvent> fired = watch.fired();
        co_return co_await fired;
    }

    bool exists(const char *path) const { return server.tree().find(zk::Path(path)) != nullptr; }
};

} // namespace drover::test
