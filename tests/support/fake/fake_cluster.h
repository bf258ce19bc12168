#pragma once

#include "support/fake/fake_session.h"
#include "support/run_task.h"

namespace drover::test {

// Several processes with a session each on one in-memory ZooKeeper: what the tests of the recipes and of the in-memory
// ZooKeeper itself run on.
class FakeCluster
{
public:
    explicit FakeCluster(int size, const FakeSessionOptions &options = {})
    {
        for (int i = 0; i < size; ++i)
            add(options);
    }

    int size() const { return static_cast<int>(m_sessions.size()); }
    zk::Client &operator[](int index) { return *m_sessions[static_cast<std::size_t>(index)]; }
    FakeSession &session(int index) { return *m_sessions[static_cast<std::size_t>(index)]; }
    ProcessLoop &process(int index) { return *m_loops[static_cast<std::size_t>(index)]; }

    void add(const FakeSessionOptions &options = {})
    {
        m_loops.push_back(std::make_unique<ProcessLoop>(world));
        m_sessions.push_back(server.connect(*m_loops.back(), options));
        FakeSession *session = m_sessions.back().get();
        world.runUntil([session] { return session->state() == zk::Client::State::Connected; });
    }

    // Destroys the session and leaves its process.
    void removeSession(int index) { m_sessions[static_cast<std::size_t>(index)].reset(); }

    // Shows this session what has been, until it syncs or writes.
    void lag(int index) { server.lag(session(index).sessionId(), std::chrono::hours(1)); }

    template <typename T>
    T run(async::Task<T> task)
    {
        return runTask(world, std::move(task));
    }
    void settle(async::Duration duration = std::chrono::milliseconds(100)) { world.runFor(duration); }

    // Of all sessions together.
    zk::Client::Counters counters() const
    {
        zk::Client::Counters sum;
        for (const auto &session : m_sessions) {
            sum.requests += session->counters().requests;
            sum.watchEvents += session->counters().watchEvents;
        }
        return sum;
    }
    quint64 requests() const { return counters().requests; }
    quint64 watchEvents() const { return counters().watchEvents; }

    // The answer. The reply throws what it throws.
    template <typename T>
    zk::Answer<T> get(zk::Reply<T> reply)
    {
        const auto wait = [](zk::Reply<T> waited) -> async::Task<zk::Answer<T>> { co_return co_await waited; };
        return run(wait(std::move(reply)));
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
    zk::WatchEvent event(const zk::Watch &watch)
    {
        const auto wait = [](const zk::Watch &watched) -> async::Task<zk::WatchEvent> {
            async::Future<zk::WatchEvent> fired = watched.fired();
            co_return co_await fired;
        };
        return run(wait(watch));
    }

    bool exists(const zk::Path &path) const { return server.tree().find(path) != nullptr; }
    QByteArrayList childrenOf(const zk::Path &path) const
    {
        const FakeTree::Znode *node = server.tree().find(path);
        return node ? QByteArrayList(node->children.begin(), node->children.end()) : QByteArrayList();
    }

    VirtualLoop world;
    FakeZooKeeper server{world};

private:
    std::vector<std::unique_ptr<ProcessLoop>> m_loops;
    std::vector<std::unique_ptr<FakeSession>> m_sessions;
};

} // namespace drover::test
