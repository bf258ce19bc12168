#pragma once

#include "async/task_group.h"
#include "interop/fenced_log.h"
#include "interop/foreign_peer.h"
#include "support/await.h"
#include "zk/client.h"

namespace drover::test {

// Tasks of ours that run beside the peers.
class OurTasks
{
public:
    OurTasks();

    void spawn(async::Task<void> task) { m_tasks.spawn(std::move(task)); }
    bool hasFinished() const { return m_tasks.empty(); }
    // Runs the loop until all have ended; rethrows the first failure.
    void finish();

private:
    std::exception_ptr m_error;
    async::TaskGroup m_tasks;
};

// Contenders of several programs acquire and release one thing over and over, and write it down.
//
//     shut the gate: hold what they contend for
//     join(...), join(...), ...
//     wait until all of them stand in line, open the gate
//     finish(); QCOMPARE(verdict(), QString());
class ContentionRun
{
public:
    explicit ContentionRun(zk::Path path) : m_path(std::move(path)) { }

    // A client of a peer; `permits` of a semaphore.
    void join(ForeignPeer &peer, const QByteArray &client, const QByteArray &recipe, const QByteArray &permits = {});
    // One of ours: anything whose acquire() gives something with a fence() and a release(). Outlives the run.
    template <typename Holding>
    void join(Holding &holding, zk::Client &zk, const QByteArray &client, const QByteArray &mode)
    {
        m_expected["drover-" + client] = Rounds;
        m_ours.spawn(contend(holding, zk, "drover-" + client, mode));
    }

    // A shell in which `drover` runs `command` so many times: a script that logs what it holds, and does `meanwhile`.
    QProcess &join(const QProcessEnvironment &environment, const QString &command, const QByteArray &who,
                   const QByteArray &mode, int rounds, const QByteArray &meanwhile);

    // Runs the loop until everybody has had its rounds, or for a minute in vain.
    void finish();

    // What was wrong with it, a line each: overlaps, who was overtaken, who had fewer rounds than it should, too little
    // contention.
    QString verdict(int permits = 1) const;

private:
    static constexpr int Rounds = 20;

    template <typename Holding>
    async::Task<void> contend(Holding &holding, zk::Client &zk, QByteArray who, QByteArray mode)
    {
        for (int i = 0; i < Rounds; ++i) {
            auto held = co_await holding.acquire();
            const zk::Zxid token = held.fence().czxid;
            m_log.begin(who, mode, token);
            co_await async::sleepFor(zk.loop(), std::chrono::milliseconds(1));
            m_log.end(who, mode, token);
            held.release();
        }
    }

    zk::Path m_path;
    FencedLog m_log;
    std::map<QByteArray, int> m_expected;
    std::vector<std::pair<ForeignPeer *, QByteArray>> m_foreign;
    std::vector<std::unique_ptr<QProcess>> m_programs;
    OurTasks m_ours;
};

} // namespace drover::test
