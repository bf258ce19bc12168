#include "async/or_timeout.h"
#include "recipes/barriers/double_barrier.h"
#include "support/co_check.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class DoubleBarrierTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/rounds/a"};

    // Several members on their way through one barrier.
    struct Round {
        FakeCluster &fake;
        const zk::Path path;
        const int count;
        std::vector<std::optional<BarrierEntry>> entries{16};
        std::vector<int> in{};
        std::vector<int> out{};
        std::vector<std::exception_ptr> errors{};
        async::TaskGroup tasks{[this](const std::exception_ptr &error) { errors.push_back(error); }};

        async::Task<void> enter(int who)
        {
            DoubleBarrier barrier(fake[who], path, count);
            BarrierEntry entry = co_await barrier.enter(QByteArray::number(who));
            entries[static_cast<std::size_t>(who)].emplace(std::move(entry));
            in.push_back(who);
        }
        async::Task<void> leave(int who)
        {
            co_await entries[static_cast<std::size_t>(who)]->leave();
            out.push_back(who);
        }
        void spawnEnter(int who)
        {
            tasks.spawn(enter(who));
            fake.settle();
        }
        void spawnLeave(int who)
        {
            tasks.spawn(leave(who));
            fake.settle();
        }
    };

    static async::Task<void> create(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Created> created = co_await zk.create(path, QByteArray());
        created.require();
    }
    static async::Task<void> remove(zk::Client &zk, zk::Path path)
    {
        const zk::Answer<zk::Nothing> removed = co_await zk.remove(path);
        removed.require();
    }

private Q_SLOTS:
    void theyBeginAndEndTogether()
    {
        FakeCluster fake(3);
        Round round{fake, m_path, 3};
        round.spawnEnter(0);
        round.spawnEnter(1);
        QVERIFY(round.in.empty());
        QVERIFY(!fake.childrenOf(m_path).contains("ready"));
        round.spawnEnter(2);
        QCOMPARE(round.in.size(), 3u);
        QVERIFY(fake.childrenOf(m_path).contains("ready"));
        round.spawnLeave(1);
        round.spawnLeave(2);
        QVERIFY(round.out.empty());
        round.spawnLeave(0);
        QCOMPARE(round.out.size(), 3u);
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        QVERIFY(fake.server.watches().empty());
        QVERIFY(round.errors.empty());
    }

    void memberNodesAreEphemeralUuidsAndReadyIsNot()
    {
        FakeCluster fake(1);
        DoubleBarrier barrier(fake[0], m_path, 1);
        const BarrierEntry entry = fake.run(barrier.enter("me"));
        const QByteArray name = entry.fence().path.name();
        QCOMPARE(name.size(), 36);
        QCOMPARE(fake.childrenOf(m_path), (QByteArrayList{name, "ready"}));
        const FakeTree::Znode *own = fake.server.tree().find(m_path / name);
        QCOMPARE(own->stat.ephemeralOwner, fake[0].sessionId());
        QCOMPARE(own->stat.czxid, entry.fence().czxid);
        QCOMPARE(own->data, QByteArray("me"));
        QCOMPARE(fake.server.tree().find(m_path / "ready")->stat.ephemeralOwner, 0);
    }

    void theLastOneInOpensInTwoRoundTrips()
    {
        FakeCluster fake(3, {.latency = 5ms});
        fake.run(fake[0].ensurePath(m_path));
        Round round{fake, m_path, 3};
        round.spawnEnter(0);
        round.spawnEnter(1);
        QCOMPARE(fake.server.watches().size(), 4u); // a member watches ready and its own node
        const async::TimePoint before = fake.world.now();
        const quint64 requests = fake[2].counters().requests;
        round.tasks.spawn(round.enter(2));
        QVERIFY(fake.world.runUntil([&] { return round.in.size() == 3; }));
        QCOMPARE(fake.world.now() - before, async::Duration(20ms));
        QCOMPARE(fake[2].counters().requests - requests, 5u);
        fake.settle();
        QCOMPARE(fake[0].counters().watchEvents, 1u);
        QVERIFY(fake.server.watches().empty());
    }

    void aTimedOutMemberLeavesNoNodeAndIsNotCounted()
    {
        FakeCluster fake(3);
        Round round{fake, m_path, 2};
        DoubleBarrier barrier(fake[0], m_path, 2);
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(0), barrier.enter(), 2s)));
        fake.settle();
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        QVERIFY(fake.server.watches().empty());
        round.spawnEnter(1);
        QVERIFY(round.in.empty());
        round.spawnEnter(2);
        QCOMPARE(round.in.size(), 2u);
    }

    void cancelledOnItsWayItLeavesNoNode()
    {
        FakeCluster fake(1, {.latency = 50ms});
        fake.run(fake[0].ensurePath(m_path));
        DoubleBarrier barrier(fake[0], m_path, 2);
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(0), barrier.enter(), 60ms)));
        QCOMPARE(fake.childrenOf(m_path).size(), 1); // it had been carried out
        fake.settle(1s);
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        QCOMPARE(fake[0].pendingCleanups(), 0);
    }

    // CURATOR-536: comings and goings must not begin the time-out anew.
    void theDeadlineIsOneWhateverHappensMeanwhile()
    {
        FakeCluster fake(4);
        Round round{fake, m_path, 3};
        async::TaskGroup patient([](const std::exception_ptr &) {});
        DoubleBarrier barrier(fake[0], m_path, 3);
        const async::TimePoint before = fake.world.now();
        std::optional<async::Duration> took;
        const auto tryIt = [&]() -> async::Task<void> {
            try {
                const BarrierEntry entry = co_await async::orTimeout(fake.process(0), barrier.enter(), 2s);
            } catch (const async::Timeout &) {
                took = fake.world.now() - before;
            }
        };
        patient.spawn(tryIt());
        for (int i = 0; i < 30; ++i) {
            DoubleBarrier other(fake[1], m_path, 3);
            async::TaskGroup brief;
            const auto visit = [&]() -> async::Task<void> { const BarrierEntry entry = co_await other.enter(); };
            brief.spawn(visit());
            fake.settle();
        }
        QVERIFY(took);
        QCOMPARE(*took, async::Duration(2s));
    }

    void aLateMemberIsInAtOnce()
    {
        FakeCluster fake(3);
        Round round{fake, m_path, 2};
        round.spawnEnter(0);
        round.spawnEnter(1);
        round.entries[1].reset(); // has left without waiting: fewer than two are inside
        fake.settle();
        round.spawnEnter(2);
        QCOMPARE(round.in, (std::vector<int>{0, 1, 2}));
    }

    // All of the last round expired before they could delete it.
    void aLeftoverReadyNodeLetsNoMemberInAlone()
    {
        FakeCluster fake(4);
        fake.run(fake[0].ensurePath(m_path));
        fake.run(create(fake[0], m_path / "ready"));
        const zk::Zxid stale = fake.server.tree().find(m_path / "ready")->stat.czxid;
        Round round{fake, m_path, 3};
        round.spawnEnter(0);
        round.spawnEnter(1);
        QVERIFY(round.in.empty());
        round.spawnEnter(2);
        QCOMPARE(round.in.size(), 3u);
        QVERIFY(fake.server.tree().find(m_path / "ready")->stat.czxid > stale);
        round.spawnEnter(3);
        QCOMPARE(round.in.size(), 4u);
    }

    void aMemberThatExpiresBeforeTheOthersCameIsNotCounted()
    {
        FakeCluster fake(3);
        Round round{fake, m_path, 2};
        round.spawnEnter(0);
        fake.server.expire(fake[0].sessionId());
        round.spawnEnter(1);
        QVERIFY(round.in.empty());
        round.spawnEnter(2);
        QCOMPARE(round.in.size(), 2u);
        fake.settle(10s);
        QCOMPARE(round.errors.size(), 1u);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(round.errors[0]));
    }

    void aMemberThatExpiresInsideIsNotWaitedFor()
    {
        FakeCluster fake(3);
        Round round{fake, m_path, 3};
        for (int i = 0; i < 3; ++i)
            round.spawnEnter(i);
        round.spawnLeave(0);
        round.spawnLeave(1);
        fake.session(2).crash();
        fake.settle(1s);
        QVERIFY(round.out.empty());
        fake.settle(10s);
        QCOMPARE(round.out.size(), 2u);
        QVERIFY(fake.childrenOf(m_path).isEmpty() || fake.childrenOf(m_path) == QByteArrayList{"ready"});
    }

    void aCancelledLeaveTakesTheNodeAlong()
    {
        FakeCluster fake(2);
        Round round{fake, m_path, 2};
        round.spawnEnter(0);
        round.spawnEnter(1);
        QVERIFY_THROWS_EXCEPTION(async::Timeout,
                                 fake.run(async::orTimeout(fake.process(0), round.entries[0]->leave(), 2s)));
        round.entries[0].reset();
        round.spawnLeave(1);
        QCOMPARE(round.out, std::vector<int>{1});
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

    // Also if it is the lowest, which waits with its node until the others have gone.
    void aCancelledLeaveNeedsNoEndOfTheEntry()
    {
        for (int who = 0; who < 2; ++who) {
            FakeCluster fake(2);
            Round round{fake, m_path, 2};
            round.spawnEnter(0);
            round.spawnEnter(1);
            BarrierEntry &entry = *round.entries[static_cast<std::size_t>(who)];
            QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(who), entry.leave(), 2s)));
            fake.settle();
            QVERIFY(!fake.server.tree().find(entry.fence().path));
            round.spawnLeave(1 - who);
            QCOMPARE(round.out, std::vector<int>{1 - who});
        }
    }

    void theFenceEndsWhenTheMemberLeaves()
    {
        FakeCluster fake(2);
        DoubleBarrier barrier(fake[0], m_path, 1);
        BarrierEntry entry = fake.run(barrier.enter());
        const auto write = [&]() -> async::Task<bool> {
            zk::Transaction transaction;
            entry.fence().guard(transaction).set(zk::Path("/rounds"), "by a member");
            const zk::Answer<zk::Committed> committed = co_await fake[1].commit(transaction);
            co_return committed.ok();
        };
        QVERIFY(fake.run(write()));
        fake.run(entry.leave());
        QVERIFY(!fake.run(write()));
    }

    void roundFollowsRound()
    {
        FakeCluster fake(3);
        for (int i = 0; i < 5; ++i) {
            Round round{fake, m_path, 3};
            for (int who = 0; who < 3; ++who)
                round.spawnEnter(who);
            QCOMPARE(round.in.size(), 3u);
            for (int who = 0; who < 3; ++who)
                round.spawnLeave(who);
            QCOMPARE(round.out.size(), 3u);
        }
    }

    // Who is quick enters the next round before the others know that this one has ended.
    void roundFollowsRoundWithoutAPause()
    {
        for (int slow = 0; slow < 3; ++slow) {
            FakeCluster fake(0);
            for (int i = 0; i < 3; ++i)
                fake.add({.latency = i == slow ? 50ms : 1ms});
            std::vector<int> rounds(3);
            async::TaskGroup members;
            const auto takePart = [&](int who) -> async::Task<void> {
                DoubleBarrier barrier(fake[who], m_path, 3);
                for (int i = 0; i < 10; ++i) {
                    BarrierEntry entry = co_await barrier.enter();
                    CO_VERIFY(*std::max_element(rounds.begin(), rounds.end()) <= i); // no member has left this round
                    co_await entry.leave();
                    ++rounds[static_cast<std::size_t>(who)];
                }
            };
            for (int who = 0; who < 3; ++who)
                members.spawn(takePart(who));
            fake.settle(60s);
            QCOMPARE(rounds, (std::vector<int>{10, 10, 10}));
            QVERIFY(fake.childrenOf(m_path).isEmpty());
        }
    }

    void aDirectoryDeletedUnderTheWaitersIsReported()
    {
        FakeCluster fake(3);
        Round round{fake, m_path, 3};
        round.spawnEnter(0);
        const QByteArray waiting = fake.childrenOf(m_path).front();
        fake.run(remove(fake[1], m_path / waiting));
        fake.run(remove(fake[1], m_path));
        fake.settle();
        QCOMPARE(round.errors.size(), 1u);
        QVERIFY_THROWS_EXCEPTION(EntryRevoked, std::rethrow_exception(round.errors[0]));
        round.errors.clear();
        for (int who = 0; who < 3; ++who)
            round.spawnEnter(who);
        QCOMPARE(round.in.size(), 3u);
    }

    void aBeginningMissedWhileDisconnectedIsNoticed()
    {
        FakeCluster fake(2);
        Round round{fake, m_path, 2};
        round.spawnEnter(0);
        fake.session(0).disconnect();
        round.spawnEnter(1);
        QCOMPARE(round.in, std::vector<int>{1});
        fake.session(0).reconnect();
        fake.settle(1s);
        QCOMPARE(round.in, (std::vector<int>{1, 0}));
        round.spawnLeave(1);
        fake.session(1).disconnect();
        round.spawnLeave(0);
        fake.settle(1s);
        fake.session(1).reconnect();
        fake.settle(1s);
        QCOMPARE(round.out.size(), 2u);
    }

    // Each request of each member in turn, lost on the way there or back.
    void nothingIsLostWithAReply_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void nothingIsLostWithAReply()
    {
        QFETCH(int, fault);
        for (quint64 operation = 1; operation <= 24; ++operation) {
            FaultPlan plan;
            plan.scripted[operation] = static_cast<Fault>(fault);
            FaultInjector faults(plan);
            FakeCluster fake(2, {.faults = &faults});
            Round round{fake, m_path, 2};
            round.spawnEnter(0);
            round.spawnEnter(1);
            fake.settle(5s);
            QCOMPARE(round.in.size(), 2u);
            round.spawnLeave(0);
            round.spawnLeave(1);
            fake.settle(5s);
            QCOMPARE(round.out.size(), 2u);
            QVERIFY(round.errors.empty());
            QVERIFY(fake.childrenOf(m_path).isEmpty());
            QCOMPARE(fake[0].pendingCleanups() + fake[1].pendingCleanups(), 0);
        }
    }
};

QTEST_GUILESS_MAIN(DoubleBarrierTest)
#include "double_barrier_test.moc"
