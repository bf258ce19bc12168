#include "async/or_timeout.h"
#include "recipes/barrier.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class BarrierTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/gates/a"};

    async::Task<void> pass(zk::Coordinator &zk, int &passed)
    {
        Barrier barrier(zk, m_path);
        co_await barrier.wait();
        ++passed;
    }

private Q_SLOTS:
    void waitersGoOnTogetherWhenItOpens()
    {
        FakeParty party(6);
        Barrier barrier(party[0], m_path);
        party.run(barrier.close());
        party.run(barrier.close()); // closed already
        int passed = 0;
        async::TaskGroup waiters;
        for (int i = 1; i < 6; ++i)
            waiters.spawn(pass(party[i], passed));
        party.settle();
        QCOMPARE(passed, 0);
        QCOMPARE(party.server.watches().size(), 5u);
        party.run(barrier.open());
        party.run(barrier.open()); // open already
        party.settle();
        QCOMPARE(passed, 5);
        QVERIFY(party.server.watches().empty());
        for (int i = 1; i < 6; ++i)
            QCOMPARE(party[i].counters().watchEvents, 1u);
    }

    void anOpenBarrierCostsOneRoundTrip()
    {
        FakeParty party(1, {.latency = 5ms});
        Barrier barrier(party[0], m_path);
        const async::TimePoint before = party.world.now();
        party.run(barrier.wait());
        QCOMPARE(party.world.now() - before, async::Duration(10ms));
        QVERIFY(party.server.watches().empty());
    }

    void aTimeOutLeavesNothing()
    {
        FakeParty party(2);
        Barrier barrier(party[0], m_path);
        Barrier waiting(party[1], m_path);
        party.run(barrier.close());
        const QByteArray before = party.server.dump();
        QVERIFY_THROWS_EXCEPTION(async::Timeout, party.run(async::orTimeout(party.process(1), waiting.wait(), 2s)));
        party.settle();
        QVERIFY(party.server.watches().empty());
        QCOMPARE(party.server.dump(), before);
    }

    // The node may be a message board too: what is written into it opens nothing.
    void aChangeOfItsDataOpensNothing()
    {
        FakeParty party(2);
        Barrier barrier(party[0], m_path);
        party.run(barrier.close());
        int passed = 0;
        async::TaskGroup waiters;
        waiters.spawn(pass(party[1], passed));
        party.settle();
        const auto write = [&]() -> async::Task<void> {
            const zk::Answer<zk::Stat> written = co_await party[0].set(m_path, "note");
            written.require();
        };
        party.run(write());
        party.settle();
        QCOMPARE(passed, 0);
        party.run(barrier.open());
        party.settle();
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
        FakeParty party(0);
        party.add({.faults = &faults});
        Barrier barrier(party[0], m_path);
        for (int i = 0; i < 2; ++i) {
            party.run(barrier.close());
            QVERIFY(party.server.tree().find(m_path));
            party.run(barrier.open());
            QVERIFY(!party.server.tree().find(m_path));
            party.run(barrier.wait());
        }
        QCOMPARE(faults.log().total(), 3u);
    }

    void lesson09_aDeletedParentOpensAndIsMadeAnew()
    {
        FakeParty party(2);
        Barrier barrier(party[0], m_path);
        party.run(barrier.close());
        int passed = 0;
        async::TaskGroup waiters;
        waiters.spawn(pass(party[1], passed));
        party.settle();
        const auto removeAll = [&]() -> async::Task<void> {
            const auto node = party[0].remove(m_path);
            const auto parent = party[0].remove(m_path.parent());
            const zk::Answer<zk::Nothing> removed = co_await parent;
            removed.require();
        };
        party.run(removeAll());
        party.settle();
        QCOMPARE(passed, 1);
        party.run(barrier.close());
        QVERIFY(party.server.tree().find(m_path));
    }

    void lesson11_anOpeningMissedWhileDisconnectedIsNoticed()
    {
        FakeParty party(2);
        Barrier barrier(party[0], m_path);
        party.run(barrier.close());
        int passed = 0;
        async::TaskGroup waiters;
        waiters.spawn(pass(party[1], passed));
        party.settle();
        party.session(1).disconnect();
        party.run(barrier.open());
        party.settle(1s);
        party.run(barrier.close()); // again
        QCOMPARE(passed, 0);
        party.session(1).reconnect();
        party.settle(1s);
        QCOMPARE(passed, 1);
    }

    // What a waiter does when it is woken happens on the thread of the session: it may end all that waits there.
    void lesson13_aWaiterMayEndTheOthersWhenItIsWoken()
    {
        FakeParty party(2);
        Barrier barrier(party[0], m_path);
        party.run(barrier.close());
        int passed = 0;
        async::TaskGroup first;
        async::TaskGroup others;
        const auto passAndEnd = [&]() -> async::Task<void> {
            co_await pass(party[1], passed);
            others.cancelAll();
        };
        first.spawn(passAndEnd());
        for (int i = 0; i < 3; ++i)
            others.spawn(pass(party[1], passed));
        party.settle();
        party.run(barrier.open());
        party.settle();
        QCOMPARE(passed, 1);
        QVERIFY(others.empty());
        QVERIFY(party.server.watches().empty());
    }

    void lesson14_aWaiterIsToldThatItsSessionHasEnded()
    {
        FakeParty party(2);
        Barrier barrier(party[0], m_path);
        party.run(barrier.close());
        std::exception_ptr error;
        async::TaskGroup waiters([&](const std::exception_ptr &e) { error = e; });
        int passed = 0;
        waiters.spawn(pass(party[1], passed));
        party.settle();
        party.server.expire(party[1].sessionId());
        party.settle(10s);
        QCOMPARE(passed, 0);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }
};

QTEST_GUILESS_MAIN(BarrierTest)
#include "barrier_test.moc"
