#include "core/recipes/holder.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/revocation.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class MutexTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/locks/a"};

    // Acquires, notes it, and keeps the lock.
    async::Task<void> contend(zk::Client &zk, int who, std::vector<int> &order, std::vector<std::optional<Lock>> &held)
    {
        Mutex mutex(zk, m_path);
        Lock lock = co_await mutex.acquire();
        order.push_back(who);
        held[static_cast<std::size_t>(who)].emplace(std::move(lock));
    }

private Q_SLOTS:
    void aReleaseWakesTwo_data()
    {
        QTest::addColumn<int>("waiters");
        QTest::addColumn<int>("releases");
        QTest::newRow("8 waiters") << 8 << 8;
        QTest::newRow("1000 waiters") << 1000 << 50;
    }
    void aReleaseWakesTwo()
    {
        QFETCH(int, waiters);
        QFETCH(int, releases);
        FakeCluster fake(waiters + 1);
        fake.run(fake[0].ensurePath(m_path));
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(static_cast<std::size_t>(waiters + 1));
        async::TaskGroup contenders;
        for (int i = 0; i <= waiters; ++i) {
            contenders.spawn(contend(fake[i], i, order, held));
            fake.settle(1ms);
        }
        for (int i = 0; i < releases; ++i) {
            const zk::Client::Counters before = fake.counters();
            held[static_cast<std::size_t>(i)].reset();
            fake.settle();
            const zk::Client::Counters after = fake.counters();
            QVERIFY(after.watchEvents - before.watchEvents <= 2);
            QVERIFY(after.requests - before.requests <= 4); // the delete, a list, two watches
            QCOMPARE(order.back(), i + 1);
        }
    }

    // Looking two ahead: the next in line already knows that it is next.
    void aHandOverIsOneMessageEachWay()
    {
        FakeCluster fake(3, {.latency = 5ms});
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(3);
        async::TaskGroup contenders;
        for (int i = 0; i < 3; ++i) {
            contenders.spawn(contend(fake[i], i, order, held));
            fake.settle();
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const async::TimePoint released = fake.world.now();
            held[i].reset();
            fake.world.runUntil([&] { return order.size() == i + 2; });
            QCOMPARE(fake.world.now() - released, async::Duration(10ms));
            fake.settle();
        }
    }

    void aHolderIsAskedToLetGo()
    {
        FakeCluster fake(3);
        Mutex first(fake[0], m_path);
        Mutex second(fake[1], m_path);
        std::optional<Lock> lock = fake.run(first.acquire());
        LockHolder waiter;
        waiter.keep(second.acquire());
        bool asked = false;
        const auto listen = [&](async::Task<void> revocation) -> async::Task<void> {
            co_await revocation;
            asked = true;
        };
        async::TaskGroup listening;
        listening.spawn(listen(revocationAsked(fake[0], lock->fence())));
        fake.settle();
        QVERIFY(!asked);
        fake.run(askRevocation(fake[2], lock->fence().path));
        fake.settle();
        QVERIFY(asked);
        QCOMPARE(fake.server.tree().find(lock->fence().path)->data, QByteArray("__REVOKE__"));
        QVERIFY(!waiter.has()); // it is a request
        const zk::Path gone = lock->fence().path;
        lock.reset();
        fake.settle();
        QVERIFY(waiter.has());
        fake.run(askRevocation(fake[2], gone));

        // Asked while it still waited, or robbed of its node: both are found out.
        fake.run(askRevocation(fake[2], (*waiter).fence().path));
        fake.run(revocationAsked(fake[1], (*waiter).fence()));
        const Fence fence = (*waiter).fence();
        waiter.drop();
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, fake.run(revocationAsked(fake[1], fence)));
    }

    void participantsAreInOrder()
    {
        FakeCluster fake(3);
        Mutex first(fake[0], m_path);
        Mutex second(fake[1], m_path);
        Mutex third(fake[2], m_path);
        QVERIFY(fake.run(first.participants()).empty());
        const Lock lock = fake.run(first.acquire("holds"));
        LockHolder one;
        LockHolder two;
        one.keep(second.acquire("is next"));
        fake.settle();
        two.keep(third.acquire("is last"));
        fake.settle();
        const std::vector<Participant> line = fake.run(third.participants());
        QCOMPARE(line.size(), 3u);
        QCOMPARE(line[0].fence.czxid, lock.fence().czxid);
        QCOMPARE(line[0].fence.session, fake[0].sessionId());
        QCOMPARE(line[0].data, QByteArray("holds"));
        QCOMPARE(line[1].data, QByteArray("is next"));
        QCOMPARE(line[2].data, QByteArray("is last"));
    }

    // Curator's read-write lock does not see a mutex. So a mutex that shares its directory with others looks for such
    // nodes in each listing, whether they were there before its ticket or have come since.
    void refusesAnotherRecipesNodes_data()
    {
        QTest::addColumn<bool>("whileItWaits");
        QTest::newRow("that were there when it came") << false;
        QTest::newRow("that came while it waited") << true;
    }
    void refusesAnotherRecipesNodes()
    {
        QFETCH(bool, whileItWaits);
        FakeCluster fake(3);
        const Ticket::Form names = Mutex::curator();
        Mutex holder(fake[0], m_path, names, Strangers::Refuse);
        Mutex waiter(fake[1], m_path, names, Strangers::Refuse);
        ReadWriteLock stranger(fake[2], m_path);
        LockHolder held;
        LockHolder waiting;
        LockHolder writing;
        if (whileItWaits) {
            held.keep(holder.acquire());
            fake.settle();
            waiting.keep(waiter.acquire());
            fake.settle();
            QVERIFY(held.has() && waiting.waits());
        }
        writing.keep(stranger.writer().acquire());
        fake.settle();
        held.drop();
        if (!whileItWaits)
            waiting.keep(waiter.acquire());
        fake.settle();
        QVERIFY(!waiting.has() && waiting.error());
        QVERIFY_THROWS_EXCEPTION(OtherLayout, std::rethrow_exception(waiting.error()));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, fake.run(waiter.tryAcquire()));
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path).size(), 1); // no ticket of ours is left
        QVERIFY(writing.has());

        writing.drop();
        fake.settle();
        const Lock free = fake.run(waiter.acquire());
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
    }
};

QTEST_GUILESS_MAIN(MutexTest)
#include "mutex_test.moc"
