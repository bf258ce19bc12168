#include "core/recipes/election_party.h"
#include "core/recipes/keeper.h"
#include "recipes/simple_lock.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class SimpleLockTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/slow"};

private Q_SLOTS:
    // What it is kept for: all are woken, one gets it.
    void aReleaseWakesTheWholeHerd()
    {
        constexpr int Waiters = 50;
        FakeParty party(Waiters + 1);
        std::vector<std::unique_ptr<SimpleLock>> locks;
        std::vector<LockKeeper> contenders(Waiters + 1);
        for (int i = 0; i <= Waiters; ++i) {
            locks.push_back(std::make_unique<SimpleLock>(party[i], m_path));
            contenders[static_cast<std::size_t>(i)].keep(locks.back()->acquire());
            party.settle(1ms);
        }
        const zk::Coordinator::Counters before = party.counters();
        contenders.front().drop();
        party.settle();
        const zk::Coordinator::Counters after = party.counters();
        QCOMPARE(after.watchEvents - before.watchEvents, quint64(Waiters));
        QCOMPARE(after.requests - before.requests, quint64(1 + Waiters + Waiters - 1)); // release, creates, reads
        QCOMPARE(std::count_if(contenders.begin(), contenders.end(), [](LockKeeper &c) { return c.has(); }), 1);
    }

    void twoOfOneSessionAreTwo()
    {
        FakeParty party(1);
        SimpleLock lock(party[0], m_path);
        SimpleLock same(party[0], m_path);
        std::optional<Lock> held = party.run(lock.acquire());
        QVERIFY(!party.run(same.tryAcquire()));
        held.reset();
        QVERIFY(party.run(same.tryAcquire()));
    }

    // The node was deleted by another hand, and its name is the next holder's.
    void theFenceAndTheReleaseAreNotTheSuccessors()
    {
        FakeParty party(2);
        party.run(party[0].ensurePath(zk::Path("/decision")));
        SimpleLock lock(party[0], m_path);
        SimpleLock other(party[1], m_path);
        std::optional<Lock> deposed = party.run(lock.acquire());
        QVERIFY(party.run(guardedWrite(party[0], deposed->fence())));
        party.run(removeNode(party[1], m_path));
        QVERIFY(!party.run(guardedWrite(party[0], deposed->fence())));
        const Lock held = party.run(other.acquire());
        QVERIFY(!party.run(guardedWrite(party[0], deposed->fence())));
        QVERIFY(party.run(guardedWrite(party[1], held.fence())));
        Fence nameOnly = deposed->fence();
        nameOnly.epoch.reset();
        QVERIFY(party.run(guardedWrite(party[0], nameOnly))); // the broken variant
        deposed.reset();
        party.settle(1s);
        QVERIFY(party.run(guardedWrite(party[1], held.fence())));
    }

    void isReentrantByOwner()
    {
        FakeParty party(1);
        SimpleLock lock(party[0], m_path);
        const Owner me;
        std::optional<Lock> held = party.run(lock.acquire({}, me));
        std::optional<Lock> again = party.run(lock.tryAcquire({}, me));
        QVERIFY(again);
        held.reset();
        party.settle();
        QVERIFY(party.server.tree().find(m_path));
        again.reset();
        party.settle();
        QVERIFY(!party.server.tree().find(m_path));
    }

    // The reply to the create is lost: the node that is there then is ours by its mark, or another's.
    void aLostReplyIsNoOtherHolder_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void aLostReplyIsNoOtherHolder()
    {
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[1] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(NamedNode::epochBeside(m_path)));
        party.add({.faults = &faults});
        SimpleLock lock(party[1], m_path);
        const Lock held = party.run(lock.acquire("me"));
        QCOMPARE(faults.log().total(), 1u);
        QCOMPARE(held.fence().czxid, party.server.tree().find(m_path)->stat.czxid);
        SimpleLock other(party[0], m_path);
        QVERIFY(!party.run(other.tryAcquire()));
    }
};

QTEST_GUILESS_MAIN(SimpleLockTest)
#include "simple_lock_test.moc"
