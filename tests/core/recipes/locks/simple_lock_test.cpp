#include "core/recipes/elections/election_helpers.h"
#include "core/recipes/holder.h"
#include "recipes/locks/simple_lock.h"
#include "support/fake/fake_cluster.h"

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
        FakeCluster fake(Waiters + 1);
        std::vector<std::unique_ptr<SimpleLock>> locks;
        std::vector<LockHolder> contenders(Waiters + 1);
        for (int i = 0; i <= Waiters; ++i) {
            locks.push_back(std::make_unique<SimpleLock>(fake[i], m_path));
            contenders[static_cast<std::size_t>(i)].keep(locks.back()->acquire());
            fake.settle(1ms);
        }
        const zk::Client::Counters before = fake.counters();
        contenders.front().drop();
        fake.settle();
        const zk::Client::Counters after = fake.counters();
        QCOMPARE(after.watchEvents - before.watchEvents, quint64(Waiters));
        QCOMPARE(after.requests - before.requests, quint64(1 + Waiters + Waiters - 1)); // release, creates, reads
        QCOMPARE(std::count_if(contenders.begin(), contenders.end(), [](LockHolder &c) { return c.has(); }), 1);
    }

    // The node was deleted by another hand, and its name is the next holder's.
    void theFenceAndTheReleaseAreNotTheSuccessors()
    {
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(zk::Path("/decision")));
        SimpleLock lock(fake[0], m_path);
        SimpleLock other(fake[1], m_path);
        std::optional<Lock> deposed = fake.run(lock.acquire());
        QVERIFY(fake.run(guardedWrite(fake[0], deposed->fence())));
        fake.run(removeNode(fake[1], m_path));
        QVERIFY(!fake.run(guardedWrite(fake[0], deposed->fence())));
        const Lock held = fake.run(other.acquire());
        QVERIFY(!fake.run(guardedWrite(fake[0], deposed->fence())));
        QVERIFY(fake.run(guardedWrite(fake[1], held.fence())));
        Fence nameOnly = deposed->fence();
        nameOnly.epoch.reset();
        QVERIFY(fake.run(guardedWrite(fake[0], nameOnly))); // the broken variant
        deposed.reset();
        fake.settle(1s);
        QVERIFY(fake.run(guardedWrite(fake[1], held.fence())));
    }
};

QTEST_GUILESS_MAIN(SimpleLockTest)
#include "simple_lock_test.moc"
