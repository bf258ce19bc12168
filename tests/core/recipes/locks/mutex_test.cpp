#include "async/or_timeout.h"
#include "core/recipes/holder.h"
#include "recipes/blocks/line.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/revocation.h"
#include "support/fake_cluster.h"

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
    void goesToEachInTurn()
    {
        FakeCluster fake(5);
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(5);
        async::TaskGroup contenders;
        for (int i = 0; i < 5; ++i) {
            contenders.spawn(contend(fake[i], i, order, held));
            fake.settle();
        }
        for (int i = 0; i < 5; ++i) {
            QCOMPARE(order.size(), static_cast<std::size_t>(i + 1)); // one holder at a time
            held[static_cast<std::size_t>(i)].reset();
            fake.settle();
        }
        QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4}));
        QVERIFY(fake.server.watches().empty());
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

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

    void uncontendedItCostsOneRoundTripACycle()
    {
        FakeCluster fake(1, {.latency = 5ms});
        fake.run(fake[0].ensurePath(m_path));
        Mutex mutex(fake[0], m_path);
        const async::TimePoint before = fake.world.now();
        for (int i = 0; i < 10; ++i)
            fake.run(mutex.acquire()).release();
        QCOMPARE(fake.world.now() - before, async::Duration(100ms));
    }

    void isReentrantByOwner()
    {
        FakeCluster fake(1);
        Mutex mutex(fake[0], m_path);
        const Owner me;
        std::optional<Lock> first = fake.run(mutex.acquire({}, me));
        const quint64 requests = fake[0].counters().requests;
        std::optional<Lock> second = fake.run(mutex.acquire({}, me));
        std::optional<Lock> third = fake.run(mutex.tryAcquire({}, me));
        QCOMPARE(fake[0].counters().requests, requests);
        QCOMPARE(second->fence().path, first->fence().path);
        QVERIFY(!fake.run(mutex.tryAcquire())); // another owner of the same object
        first.reset();
        third.reset();
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{second->fence().path.name()});
        second->release();
        fake.settle();
        QVERIFY(fake.childrenOf(m_path).isEmpty());
        const Lock again = fake.run(mutex.acquire({}, me)); // from the beginning
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
    }

    void aLostSessionsLockIsNotEnteredAgain()
    {
        FakeCluster fake(1);
        Mutex mutex(fake[0], m_path);
        const Owner me;
        const Lock zombie = fake.run(mutex.acquire({}, me));
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, fake.run(mutex.acquire({}, me)));
    }

    void aTryTakesOneRoundTripAndLeavesNoNode()
    {
        FakeCluster fake(2, {.latency = 5ms});
        Mutex first(fake[0], m_path);
        Mutex second(fake[1], m_path);
        std::optional<Lock> lock = fake.run(first.acquire());
        const async::TimePoint before = fake.world.now();
        QVERIFY(!fake.run(second.tryAcquire()));
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
        lock.reset();
        QVERIFY(fake.run(second.tryAcquire()));
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

    void aCancelledWaiterLeavesTheLine()
    {
        FakeCluster fake(3);
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(3);
        async::TaskGroup holder;
        async::TaskGroup cancelled;
        async::TaskGroup patient;
        holder.spawn(contend(fake[0], 0, order, held));
        fake.settle();
        cancelled.spawn(contend(fake[1], 1, order, held));
        fake.settle();
        patient.spawn(contend(fake[2], 2, order, held));
        fake.settle();
        cancelled.cancelAll();
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path).size(), 2);
        held[0].reset();
        fake.settle();
        QCOMPARE(order, (std::vector<int>{0, 2}));
    }

    void aTimeOutLeavesNoNode()
    {
        FakeCluster fake(2);
        Mutex first(fake[0], m_path);
        Mutex second(fake[1], m_path);
        const Lock lock = fake.run(first.acquire());
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(1), second.acquire(), 2s)));
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
    }

    void theExpiredHoldersWriteIsRefused()
    {
        FakeCluster fake(2);
        Mutex first(fake[0], m_path);
        Mutex second(fake[1], m_path);
        fake.run(fake[0].ensurePath(zk::Path("/file")));
        const Lock zombie = fake.run(first.acquire());
        fake.process(0).freeze(); // it does not know
        fake.server.expire(fake[0].sessionId());
        const Lock lock = fake.run(second.acquire());
        QVERIFY(lock.fence().czxid > zombie.fence().czxid);

        // The zombie's write, sent by a session that lives: what it would do if it had reconnected.
        zk::Transaction late;
        zombie.fence().guard(late).set(zk::Path("/file"), "late");
        const auto write = [&]() -> async::Task<bool> {
            const zk::Answer<zk::Committed> committed = co_await fake[1].commit(late);
            co_return committed.ok();
        };
        QVERIFY(!fake.run(write()));
    }

    void anExpiredWaiterGetsSessionLost()
    {
        FakeCluster fake(2);
        Mutex first(fake[0], m_path);
        Mutex second(fake[1], m_path);
        const Lock lock = fake.run(first.acquire());
        std::exception_ptr error;
        async::TaskGroup waiting([&](const std::exception_ptr &e) { error = e; });
        const auto wait = [&]() -> async::Task<void> { const Lock never = co_await second.acquire(); };
        waiting.spawn(wait());
        fake.settle();
        fake.server.expire(fake[1].sessionId());
        fake.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }

    // Of three, the last one's: it has to look again, rather than to own by the watch on the one ahead of it.
    void aTicketDeletedByAnotherHandIsNoticed()
    {
        FakeCluster fake(3);
        LockHolder holders[3];
        std::vector<std::unique_ptr<Mutex>> mutexes;
        for (int i = 0; i < 3; ++i) {
            mutexes.push_back(std::make_unique<Mutex>(fake[i], m_path));
            holders[i].keep(mutexes.back()->acquire());
            fake.settle();
        }
        const QByteArray last = sortedBySequence(fake.childrenOf(m_path)).back();
        const auto remove = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await fake[0].remove(m_path / last);
            removed.require();
        };
        fake.run(remove());
        holders[0].drop();
        fake.settle();
        QVERIFY(holders[1].has());
        QVERIFY(!holders[2].has() && holders[2].error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(holders[2].error()));
    }

    // The server's counter stops at 2^31 - 1: what comes then has no order, so it is refused.
    void refusesWhenTheNumbersAreUsedUp()
    {
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(m_path));
        fake.server.tree().setNextSequence(m_path, zk::LastSequence - 1);
        Mutex mutex(fake[0], m_path);
        {
            const Lock last = fake.run(mutex.acquire());
            QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, fake.run(mutex.acquire()));
        }
        fake.settle();
        QVERIFY(fake.childrenOf(m_path).isEmpty());
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

    void survivesAServerRestartWhileWaiting()
    {
        FakeCluster fake(2);
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(2);
        async::TaskGroup contenders;
        for (int i = 0; i < 2; ++i) {
            contenders.spawn(contend(fake[i], i, order, held));
            fake.settle();
        }
        fake.server.stop();
        fake.settle(1s);
        fake.server.start();
        fake.settle(2s);
        held[0].reset();
        fake.settle(2s);
        QCOMPARE(order, (std::vector<int>{0, 1}));
    }
};

QTEST_GUILESS_MAIN(MutexTest)
#include "mutex_test.moc"
