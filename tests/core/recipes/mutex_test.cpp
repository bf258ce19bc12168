#include "async/or_timeout.h"
#include "core/recipes/keeper.h"
#include "recipes/line.h"
#include "recipes/mutex.h"
#include "recipes/read_write_lock.h"
#include "recipes/revocation.h"
#include "support/fake_party.h"

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
    async::Task<void> contend(zk::Coordinator &zk, int who, std::vector<int> &order,
                              std::vector<std::optional<Lock>> &held)
    {
        Mutex mutex(zk, m_path);
        Lock lock = co_await mutex.acquire();
        order.push_back(who);
        held[static_cast<std::size_t>(who)].emplace(std::move(lock));
    }

private Q_SLOTS:
    void goesToEachInTurn()
    {
        FakeParty party(5);
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(5);
        async::TaskGroup contenders;
        for (int i = 0; i < 5; ++i) {
            contenders.spawn(contend(party[i], i, order, held));
            party.settle();
        }
        for (int i = 0; i < 5; ++i) {
            QCOMPARE(order.size(), static_cast<std::size_t>(i + 1)); // one holder at a time
            held[static_cast<std::size_t>(i)].reset();
            party.settle();
        }
        QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4}));
        QVERIFY(party.server.watches().empty());
        QVERIFY(party.childrenOf(m_path).isEmpty());
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
        FakeParty party(waiters + 1);
        party.run(party[0].ensurePath(m_path));
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(static_cast<std::size_t>(waiters + 1));
        async::TaskGroup contenders;
        for (int i = 0; i <= waiters; ++i) {
            contenders.spawn(contend(party[i], i, order, held));
            party.settle(1ms);
        }
        for (int i = 0; i < releases; ++i) {
            const zk::Coordinator::Counters before = party.counters();
            held[static_cast<std::size_t>(i)].reset();
            party.settle();
            const zk::Coordinator::Counters after = party.counters();
            QVERIFY(after.watchEvents - before.watchEvents <= 2);
            QVERIFY(after.requests - before.requests <= 4); // the delete, a list, two watches
            QCOMPARE(order.back(), i + 1);
        }
    }

    // Looking two ahead: the next in line already knows that it is next.
    void aHandOverIsOneMessageEachWay()
    {
        FakeParty party(3, {.latency = 5ms});
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(3);
        async::TaskGroup contenders;
        for (int i = 0; i < 3; ++i) {
            contenders.spawn(contend(party[i], i, order, held));
            party.settle();
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const async::TimePoint released = party.world.now();
            held[i].reset();
            party.world.runUntil([&] { return order.size() == i + 2; });
            QCOMPARE(party.world.now() - released, async::Duration(10ms));
            party.settle();
        }
    }

    void uncontendedItCostsOneRoundTripACycle()
    {
        FakeParty party(1, {.latency = 5ms});
        party.run(party[0].ensurePath(m_path));
        Mutex mutex(party[0], m_path);
        const async::TimePoint before = party.world.now();
        for (int i = 0; i < 10; ++i)
            party.run(mutex.acquire()).release();
        QCOMPARE(party.world.now() - before, async::Duration(100ms));
    }

    void isReentrantByOwner()
    {
        FakeParty party(1);
        Mutex mutex(party[0], m_path);
        const Owner me;
        std::optional<Lock> first = party.run(mutex.acquire({}, me));
        const quint64 requests = party[0].counters().requests;
        std::optional<Lock> second = party.run(mutex.acquire({}, me));
        std::optional<Lock> third = party.run(mutex.tryAcquire({}, me));
        QCOMPARE(party[0].counters().requests, requests);
        QCOMPARE(second->fence().path, first->fence().path);
        QVERIFY(!party.run(mutex.tryAcquire())); // another owner of the same object
        first.reset();
        third.reset();
        party.settle();
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{second->fence().path.name()});
        second->release();
        party.settle();
        QVERIFY(party.childrenOf(m_path).isEmpty());
        const Lock again = party.run(mutex.acquire({}, me)); // from the beginning
        QCOMPARE(party.childrenOf(m_path).size(), 1);
    }

    void aLostSessionsLockIsNotEnteredAgain()
    {
        FakeParty party(1);
        Mutex mutex(party[0], m_path);
        const Owner me;
        const Lock zombie = party.run(mutex.acquire({}, me));
        party.server.expire(party[0].sessionId());
        party.settle(10s);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, party.run(mutex.acquire({}, me)));
    }

    void aTryTakesOneRoundTripAndLeavesNoNode()
    {
        FakeParty party(2, {.latency = 5ms});
        Mutex first(party[0], m_path);
        Mutex second(party[1], m_path);
        std::optional<Lock> lock = party.run(first.acquire());
        const async::TimePoint before = party.world.now();
        QVERIFY(!party.run(second.tryAcquire()));
        QCOMPARE(party.world.now() - before, async::Duration(10ms));
        party.settle();
        QCOMPARE(party.childrenOf(m_path).size(), 1);
        lock.reset();
        QVERIFY(party.run(second.tryAcquire()));
    }

    void aHolderIsAskedToLetGo()
    {
        FakeParty party(3);
        Mutex first(party[0], m_path);
        Mutex second(party[1], m_path);
        std::optional<Lock> lock = party.run(first.acquire());
        LockKeeper waiter;
        waiter.keep(second.acquire());
        bool asked = false;
        const auto listen = [&](async::Task<void> revocation) -> async::Task<void> {
            co_await revocation;
            asked = true;
        };
        async::TaskGroup listening;
        listening.spawn(listen(revocationAsked(party[0], lock->fence())));
        party.settle();
        QVERIFY(!asked);
        party.run(askRevocation(party[2], lock->fence().path));
        party.settle();
        QVERIFY(asked);
        QCOMPARE(party.server.tree().find(lock->fence().path)->data, QByteArray("__REVOKE__"));
        QVERIFY(!waiter.has()); // it is a request
        const zk::Path gone = lock->fence().path;
        lock.reset();
        party.settle();
        QVERIFY(waiter.has());
        party.run(askRevocation(party[2], gone));

        // Asked while it still waited, or robbed of its node: both are found out.
        party.run(askRevocation(party[2], (*waiter).fence().path));
        party.run(revocationAsked(party[1], (*waiter).fence()));
        const Fence fence = (*waiter).fence();
        waiter.drop();
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, party.run(revocationAsked(party[1], fence)));
    }

    void participantsAreInOrder()
    {
        FakeParty party(3);
        Mutex first(party[0], m_path);
        Mutex second(party[1], m_path);
        Mutex third(party[2], m_path);
        QVERIFY(party.run(first.participants()).empty());
        const Lock lock = party.run(first.acquire("holds"));
        LockKeeper one;
        LockKeeper two;
        one.keep(second.acquire("is next"));
        party.settle();
        two.keep(third.acquire("is last"));
        party.settle();
        const std::vector<Participant> line = party.run(third.participants());
        QCOMPARE(line.size(), 3u);
        QCOMPARE(line[0].fence.czxid, lock.fence().czxid);
        QCOMPARE(line[0].fence.session, party[0].sessionId());
        QCOMPARE(line[0].data, QByteArray("holds"));
        QCOMPARE(line[1].data, QByteArray("is next"));
        QCOMPARE(line[2].data, QByteArray("is last"));
    }

    void aCancelledWaiterLeavesTheLine()
    {
        FakeParty party(3);
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(3);
        async::TaskGroup holder;
        async::TaskGroup cancelled;
        async::TaskGroup patient;
        holder.spawn(contend(party[0], 0, order, held));
        party.settle();
        cancelled.spawn(contend(party[1], 1, order, held));
        party.settle();
        patient.spawn(contend(party[2], 2, order, held));
        party.settle();
        cancelled.cancelAll();
        party.settle();
        QCOMPARE(party.childrenOf(m_path).size(), 2);
        held[0].reset();
        party.settle();
        QCOMPARE(order, (std::vector<int>{0, 2}));
    }

    void aTimeOutLeavesNoNode()
    {
        FakeParty party(2);
        Mutex first(party[0], m_path);
        Mutex second(party[1], m_path);
        const Lock lock = party.run(first.acquire());
        QVERIFY_THROWS_EXCEPTION(async::Timeout, party.run(async::orTimeout(party.process(1), second.acquire(), 2s)));
        party.settle();
        QCOMPARE(party.childrenOf(m_path).size(), 1);
    }

    void theExpiredHoldersWriteIsRefused()
    {
        FakeParty party(2);
        Mutex first(party[0], m_path);
        Mutex second(party[1], m_path);
        party.run(party[0].ensurePath(zk::Path("/file")));
        const Lock zombie = party.run(first.acquire());
        party.process(0).freeze(); // it does not know
        party.server.expire(party[0].sessionId());
        const Lock lock = party.run(second.acquire());
        QVERIFY(lock.fence().czxid > zombie.fence().czxid);

        // The zombie's write, sent by a session that lives: what it would do if it had reconnected.
        zk::Transaction late;
        zombie.fence().guard(late).set(zk::Path("/file"), "late");
        const auto write = [&]() -> async::Task<bool> {
            const zk::Answer<zk::Committed> committed = co_await party[1].commit(late);
            co_return committed.ok();
        };
        QVERIFY(!party.run(write()));
    }

    void anExpiredWaiterIsToldSo()
    {
        FakeParty party(2);
        Mutex first(party[0], m_path);
        Mutex second(party[1], m_path);
        const Lock lock = party.run(first.acquire());
        std::exception_ptr error;
        async::TaskGroup waiting([&](const std::exception_ptr &e) { error = e; });
        const auto wait = [&]() -> async::Task<void> { const Lock never = co_await second.acquire(); };
        waiting.spawn(wait());
        party.settle();
        party.server.expire(party[1].sessionId());
        party.settle(10s);
        QVERIFY(error);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(error));
    }

    void aTicketDeletedByAnotherHandIsNoticed()
    {
        FakeParty party(2);
        Mutex first(party[0], m_path);
        Mutex second(party[1], m_path);
        std::optional<Lock> lock = party.run(first.acquire());
        std::exception_ptr error;
        async::TaskGroup waiting([&](const std::exception_ptr &e) { error = e; });
        const auto wait = [&]() -> async::Task<void> { const Lock never = co_await second.acquire(); };
        waiting.spawn(wait());
        party.settle();
        const QByteArray waiter = inOrder(party.childrenOf(m_path)).back();
        const auto remove = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await party[0].remove(m_path / waiter);
            removed.require();
        };
        party.run(remove());
        // A third makes the line longer, so that the waiter has to look again rather than own by the watch alone.
        lock.reset();
        party.settle();
        QVERIFY(party.childrenOf(m_path).isEmpty() || error);
    }

    // The server's counter stops at 2^31 - 1: what comes then has no order, so it is refused.
    void refusesWhenTheNumbersAreUsedUp()
    {
        FakeParty party(2);
        party.run(party[0].ensurePath(m_path));
        party.server.tree().setNextSequence(m_path, zk::LastSequence - 1);
        Mutex mutex(party[0], m_path);
        {
            const Lock last = party.run(mutex.acquire());
            QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, party.run(mutex.acquire()));
        }
        party.settle();
        QVERIFY(party.childrenOf(m_path).isEmpty());
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
        FakeParty party(3);
        const Ticket::Form names = Mutex::curator();
        Mutex holder(party[0], m_path, names, Strangers::Refuse);
        Mutex waiter(party[1], m_path, names, Strangers::Refuse);
        ReadWriteLock stranger(party[2], m_path);
        LockKeeper held;
        LockKeeper waiting;
        LockKeeper writing;
        if (whileItWaits) {
            held.keep(holder.acquire());
            party.settle();
            waiting.keep(waiter.acquire());
            party.settle();
            QVERIFY(held.has() && waiting.waits());
        }
        writing.keep(stranger.writer().acquire());
        party.settle();
        held.drop();
        if (!whileItWaits)
            waiting.keep(waiter.acquire());
        party.settle();
        QVERIFY(!waiting.has() && waiting.error());
        QVERIFY_THROWS_EXCEPTION(OtherLayout, std::rethrow_exception(waiting.error()));
        QVERIFY_THROWS_EXCEPTION(OtherLayout, party.run(waiter.tryAcquire()));
        party.settle();
        QCOMPARE(party.childrenOf(m_path).size(), 1); // no ticket of ours is left
        QVERIFY(writing.has());

        writing.drop();
        party.settle();
        const Lock free = party.run(waiter.acquire());
        QCOMPARE(party.childrenOf(m_path).size(), 1);
    }

    void survivesAServerRestartWhileWaiting()
    {
        FakeParty party(2);
        std::vector<int> order;
        std::vector<std::optional<Lock>> held(2);
        async::TaskGroup contenders;
        for (int i = 0; i < 2; ++i) {
            contenders.spawn(contend(party[i], i, order, held));
            party.settle();
        }
        party.server.stop();
        party.settle(1s);
        party.server.start();
        party.settle(2s);
        held[0].reset();
        party.settle(2s);
        QCOMPARE(order, (std::vector<int>{0, 1}));
    }
};

QTEST_GUILESS_MAIN(MutexTest)
#include "mutex_test.moc"
