#include "async/or_timeout.h"
#include "recipes/barriers/barrier.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class BarrierTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/gates/a"};

    async::Task<void> pass(zk::Client &zk, int &passed)
    {
        Barrier barrier(zk, m_path);
        co_await barrier.wait();
        ++passed;
    }

private Q_SLOTS:
    void waitersGoOnTogetherWhenItOpens()
    {
        FakeCluster fake(6);
        Barrier barrier(fake[0], m_path);
        fake.run(barrier.close());
        fake.run(barrier.close()); // closed already
        int passed = 0;
        async::TaskGroup waiters;
        for (int i = 1; i < 6; ++i)
            waiters.spawn(pass(fake[i], passed));
        fake.settle();
        QCOMPARE(passed, 0);
        QCOMPARE(fake.server.watches().size(), 5u);
        fake.run(barrier.open());
        fake.run(barrier.open()); // open already
        fake.settle();
        QCOMPARE(passed, 5);
        QVERIFY(fake.server.watches().empty());
        for (int i = 1; i < 6; ++i)
            QCOMPARE(fake[i].counters().watchEvents, 1u);
    }

    void anOpenBarrierCostsOneRoundTrip()
    {
        FakeCluster fake(1, {.latency = 5ms});
        Barrier barrier(fake[0], m_path);
        const async::TimePoint before = fake.world.now();
        fake.run(barrier.wait());
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
        QVERIFY(fake.server.watches().empty());
    }

    void aTimeOutLeavesNothing()
    {
        FakeCluster fake(2);
        Barrier barrier(fake[0], m_path);
        Barrier waiting(fake[1], m_path);
        fake.run(barrier.close());
        const QByteArray before = fake.server.dump();
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(1), waiting.wait(), 2s)));
        fake.settle();
        QVERIFY(fake.server.watches().empty());
        QCOMPARE(fake.server.dump(), before);
    }

    // The node may be a message board too: what is written into it opens nothing.
    void aChangeOfItsDataOpensNothing()
    {
        FakeCluster fake(2);
        Barrier barrier(fake[0], m_path);
        fake.run(barrier.close());
        int passed = 0;
        async::TaskGroup waiters;
        waiters.spawn(pass(fake[1], passed));
        fake.settle();
        const auto write = [&]() -> async::Task<void> {
            const zk::Answer<zk::Stat> written = co_await fake[0].set(m_path, "note");
            written.require();
        };
        fake.run(write());
        fake.settle();
        QCOMPARE(passed, 0);
        fake.run(barrier.open());
        fake.settle();
        QCOMPARE(passed, 1);
    }

    void aLostReplyIsRepeated_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void aLostReplyIsRepeated()
    {
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[3] = plan.scripted[5] = plan.scripted[7] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeCluster fake(0);
        fake.add({.faults = &faults});
        Barrier barrier(fake[0], m_path);
        for (int i = 0; i < 2; ++i) {
            fake.run(barrier.close());
            QVERIFY(fake.server.tree().find(m_path));
            fake.run(barrier.open());
            QVERIFY(!fake.server.tree().find(m_path));
            fake.run(barrier.wait());
        }
        QCOMPARE(faults.log().total(), 3u);
    }

    void aDeletedParentOpensAndIsMadeAnew()
    {
        FakeCluster fake(2);
        Barrier barrier(fake[0], m_path);
        fake.run(barrier.close());
        int passed = 0;
        async::TaskGroup waiters;
        waiters.spawn(pass(fake[1], passed));
        fake.settle();
        const auto removeAll = [&]() -> async::Task<void> {
            const auto node = fake[0].remove(m_path);
            const auto parent = fake[0].remove(m_path.parent());
            const zk::Answer<zk::Nothing> removed = co_await parent;
            removed.require();
        };
        fake.run(removeAll());
        fake.settle();
        QCOMPARE(passed, 1);
        fake.run(barrier.close());
        QVERIFY(fake.server.tree().find(m_path));
    }

    void anOpeningMissedWhileDisconnectedIsNoticed()
    {
        FakeCluster fake(2);
        Barrier barrier(fake[0], m_path);
        fake.run(barrier.close());
        int passed = 0;
        async::TaskGroup waiters;
        waiters.spawn(pass(fake[1], passed));
        fake.settle();
        fake.session(1).disconnect();
        fake.run(barrier.open());
        fake.settle(1s);
        fake.run(barrier.close()); // again
        QCOMPARE(passed, 0);
        fake.session(1).reconnect();
        fake.settle(1s);
        QCOMPARE(passed, 1);
    }

    // What a waiter does when it is woken happens on the thread of the session: it may end all that waits there.
    void aWaiterMayEndTheOthersWhenItIsWoken()
    {
        FakeCluster fake(2);
        Barrier barrier(fake[0], m_path);
        fake.run(barrier.close());
        int passed = 0;
        async::TaskGroup first;
        async::TaskGroup others;
        const auto passAndEnd = [&]() -> async::Task<void> {
            co_await pass(fake[1], passed);
            others.cancelAll();
        };
        first.spawn(passAndEnd());
        for (int i = 0; i < 3; ++i)
            others.spawn(pass(fake[1], passed));
        fake.settle();
        fake.run(barrier.open());
        fake.settle();
        QCOMPARE(passed, 1);
        QVERIFY(others.empty());
        QVERIFY(fake.server.watches().empty());
    }

    void aWaiterGetsSessionLost()
    {
        FakeCluster fake(2);
        Barrier barrier(fake[0], m_path);
        fake.run(barrier.close());
        std::exception_ptr error;
        async::TaskGroup waiters([&](const std::exception_ptr &e) { error = e; });
        int passed = 0;
        waiters.spawn(pass(fake[1], passed));
        fake.settle();
        fake.server.expire(fake[1].sessionId());
        fake.settle(10s);
        QCOMPARE(passed, 0);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }
};

QTEST_GUILESS_MAIN(BarrierTest)
#include "barrier_test.moc"
