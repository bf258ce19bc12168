#pragma once

#include "async/task_group.h"
#include "interop/fenced_log.h"
#include "interop/foreign_peer.h"
#include "support/session_fixture.h"

#include <functional>

namespace drover::test {

// A server, and Curator and kazoo on it: one for all tests of a program, since a Java machine takes its time to start.
// The tests differ by their paths.
class Arena : public SessionFixture
{
public:
    Arena();

    ForeignPeer &curator() { return *m_curator; }
    ForeignPeer &kazoo() { return *m_kazoo; }

    // A connected session of our own.
    std::unique_ptr<zk::Session> session() { return connected(options()); }

    // Returns once `path` has that many children; false if that takes a minute.
    bool hasChildren(zk::Coordinator &zk, const zk::Path &path, int count);

private:
    std::unique_ptr<ForeignPeer> m_curator;
    std::unique_ptr<ForeignPeer> m_kazoo;
};

// Tasks of ours that run beside the peers; the first failure is thrown by join().
class Party
{
public:
    Party();

    void spawn(async::Task<void> task) { m_tasks.spawn(std::move(task)); }
    // Runs the loop until all tasks have ended.
    void join();

private:
    std::exception_ptr m_error;
    async::TaskGroup m_tasks;
};

// Acquires and releases that many times, and writes it down: what a peer does when it is told to contend.
template <typename Holding>
async::Task<void> contend(Holding &holding, zk::Coordinator &zk, FencedLog &log, QByteArray who, QByteArray mode,
                          int rounds)
{
    for (int i = 0; i < rounds; ++i) {
        auto held = co_await holding.acquire();
        const zk::Zxid token = held.fence().czxid;
        log.begin(who, mode, token);
        co_await async::sleepFor(zk.loop(), std::chrono::milliseconds(1));
        log.end(who, mode, token);
        held.release();
    }
}

} // namespace drover::test
