#include "async/or_timeout.h"
#include "core/recipes/elections/election_helpers.h"
#include "core/recipes/holder.h"
#include "core/recipes/locks/any_lock.h"
#include "recipes/blocks/line.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// What every lock promises, with a row for each kind. What only one kind promises stands in its own test, and what the
// recipes of others have got wrong in lock_regression_test.cpp.
class LockableTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/lock"};

    using Names = std::initializer_list<const char *>;
    static constexpr Names Exclusive = {"mutex", "zookeeper", "writer", "semaphore", "slow"};
    static constexpr Names Reentrant = {"mutex", "zookeeper", "writer", "reader", "slow"};
    static constexpr Names Fair = {"mutex", "zookeeper", "writer"};

    static void rows(Names kinds)
    {
        QTest::addColumn<QByteArray>("kind");
        for (const char *kind : kinds)
            QTest::newRow(kind) << QByteArray(kind);
    }

    // Rows with a number that differs from kind to kind.
    struct Number {
        const char *kind;
        int value;
    };
    static void rows(const char *column, std::initializer_list<Number> numbers)
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>(column);
        for (const Number &number : numbers)
            QTest::newRow(number.kind) << QByteArray(number.kind) << number.value;
    }

    // A process with its lock object, and the lock once it has it.
    struct Contender {
        Contender(const QByteArray &kind, zk::Client &zk, const zk::Path &path) : lock(kind, zk, path) { }

        AnyLock lock;
        LockHolder holder;
    };
    using Contenders = std::vector<std::unique_ptr<Contender>>;

    // One for each session, in the order of the sessions. All have asked for the lock.
    Contenders contend(FakeCluster &fake, const QByteArray &kind, int count) const
    {
        Contenders all;
        for (int i = 0; i < count; ++i) {
            all.push_back(std::make_unique<Contender>(kind, fake[i], m_path));
            all.back()->holder.keep(all.back()->lock->acquire());
            fake.settle();
        }
        return all;
    }

    // Acquires and releases once, which makes the directories.
    void prepare(FakeCluster &fake, const QByteArray &kind) const
    {
        AnyLock lock(kind, fake[0], m_path);
        fake.run(lock->acquire()).release();
        fake.settle();
    }

    qsizetype nodes(const QByteArray &kind, const FakeCluster &fake) const
    {
        return AnyLock::nodes(kind, fake, m_path);
    }

    static async::Task<zk::Code> outcomeOf(async::Future<zk::Nothing> future)
    {
        try {
            const zk::Nothing done = co_await future;
            Q_UNUSED(done)
        } catch (const zk::Error &error) {
            co_return error.code();
        }
        co_return zk::Code::Ok;
    }

private Q_SLOTS:
    void isHeldByOneAtATime_data() { rows(Exclusive); }
    void isHeldByOneAtATime()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(5);
        const Contenders contenders = contend(fake, kind, 5);
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            std::vector<std::size_t> holders;
            for (std::size_t k = 0; k < contenders.size(); ++k) {
                if (contenders[k]->holder.has())
                    holders.push_back(k);
            }
            QCOMPARE(holders.size(), 1u);
            if (AnyLock::standsInLine(kind))
                QCOMPARE(holders.front(), i); // in the order in which they came
            contenders[holders.front()]->holder.drop();
            fake.settle();
        }
        for (const auto &contender : contenders)
            QVERIFY(!contender->holder.waits() && !contender->holder.error()); // each has had it
        QVERIFY(fake.server.watches().empty());
        QCOMPARE(nodes(kind, fake), 0);
    }

    // The release costs nothing: its reply is not awaited.
    void uncontendedACycleCostsItsRoundTrips_data()
    {
        rows("milliseconds",
             {{"mutex", 10}, {"zookeeper", 10}, {"writer", 10}, {"reader", 10}, {"semaphore", 20}, {"slow", 10}});
    }
    void uncontendedACycleCostsItsRoundTrips()
    {
        QFETCH(QByteArray, kind);
        QFETCH(int, milliseconds);
        FakeCluster fake(1, {.latency = 5ms});
        prepare(fake, kind);
        AnyLock lock(kind, fake[0], m_path);
        const async::TimePoint before = fake.world.now();
        for (int i = 0; i < 10; ++i)
            fake.run(lock->acquire()).release();
        QCOMPARE(fake.world.now() - before, async::Duration(10ms * milliseconds));
    }

    // The directory's ACL has changed since the lock was taken. No retry can help, and the end of the session does.
    void aRefusedReleaseIsReported_data() { rows(Exclusive); }
    void aRefusedReleaseIsReported()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(2);
        AnyLock other(kind, fake[1], m_path);
        AnyLock lock(kind, fake[0], m_path);
        Lock held = fake.run(lock->acquire());
        const zk::Path node = held.fence().path;
        fake.get(fake[1].setAcl(node.parent(), {{31 & ~8, "world", "anyone"}})).require(); // all but delete
        QTest::ignoreMessage(QtCriticalMsg, QRegularExpression(QStringLiteral("^a clean-up is given up.*denied")));
        QCOMPARE(fake.run(outcomeOf(held.releaseAndConfirm())), zk::Code::NoAuth);
        QVERIFY(!held.isHeld());
        fake.settle(1min);
        QVERIFY(fake.exists(node));
        QCOMPARE(fake[0].pendingCleanups(), 0);

        fake.get(fake[1].setAcl(node.parent(), zk::openAcl())).require();
        QVERIFY(!fake.run(other->tryAcquire())); // nothing retries: the lock stays taken while the session lives
        fake.server.expire(fake.session(0).sessionId());
        fake.settle();
        QVERIFY(fake.run(other->tryAcquire()));
    }

    void aConfirmedReleaseHasDeletedTheNode_data() { rows(Exclusive); }
    void aConfirmedReleaseHasDeletedTheNode()
    {
        QFETCH(QByteArray, kind);
        for (const Fault fault : {Fault::None, Fault::LoseRequest, Fault::LoseReply, Fault::LateCommit}) {
            FakeCluster fake(1);
            FaultInjector faults{FaultPlan{}};
            fake.add({.latency = 5ms, .faults = &faults});
            AnyLock lock(kind, fake[1], m_path);
            Lock held = fake.run(lock->acquire());
            const zk::Path node = held.fence().path;
            faults.script({fault});
            QCOMPARE(fake.run(outcomeOf(held.releaseAndConfirm())), zk::Code::Ok);
            QVERIFY2(!fake.exists(node), name(fault));
        }
    }

    void aConfirmedReleaseOfALostSessionSaysSo_data() { rows(Exclusive); }
    void aConfirmedReleaseOfALostSessionSaysSo()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(1);
        AnyLock lock(kind, fake[0], m_path);
        Lock held = fake.run(lock->acquire());
        fake.session(0).disconnect();
        QCOMPARE(fake.run(outcomeOf(held.releaseAndConfirm())), zk::Code::SessionExpired);
    }

    void aReleaseOfOneOfTwoHoldsIsConfirmedAtOnce_data() { rows(Reentrant); }
    void aReleaseOfOneOfTwoHoldsIsConfirmedAtOnce()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(1);
        AnyLock lock(kind, fake[0], m_path);
        const Owner me;
        Lock first = fake.run(lock->acquire({}, me));
        Lock second = fake.run(lock->acquire({}, me));
        QVERIFY(first.releaseAndConfirm().ready());
        fake.settle();
        QCOMPARE(nodes(kind, fake), 1);
        QCOMPARE(fake.run(outcomeOf(second.releaseAndConfirm())), zk::Code::Ok);
        QCOMPARE(nodes(kind, fake), 0);
    }

    void isReentrantByOwner_data() { rows(Reentrant); }
    void isReentrantByOwner()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(1);
        AnyLock lock(kind, fake[0], m_path);
        const Owner me;
        std::optional<Lock> first = fake.run(lock->acquire({}, me));
        const quint64 requests = fake[0].counters().requests;
        std::optional<Lock> second = fake.run(lock->acquire({}, me));
        std::optional<Lock> third = fake.run(lock->tryAcquire({}, me));
        QVERIFY(third);
        QCOMPARE(fake[0].counters().requests, requests);
        QCOMPARE(second->fence().path, first->fence().path);
        QCOMPARE(nodes(kind, fake), 1);
        // Another owner of the same object: only readers share the lock, with a node each.
        std::optional<Lock> other = fake.run(lock->tryAcquire());
        QCOMPARE(other.has_value(), kind == "reader");
        fake.settle();
        QCOMPARE(nodes(kind, fake), kind == "reader" ? 2 : 1);
        other.reset();
        first.reset();
        third.reset();
        fake.settle();
        QCOMPARE(nodes(kind, fake), 1);
        QVERIFY(fake.exists(second->fence().path));
        second->release();
        fake.settle();
        QCOMPARE(nodes(kind, fake), 0);
        const Lock again = fake.run(lock->acquire({}, me)); // from the beginning
        QCOMPARE(nodes(kind, fake), 1);
    }

    void theLockOfALostSessionIsNotEnteredAgain_data() { rows(Reentrant); }
    void theLockOfALostSessionIsNotEnteredAgain()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(1);
        AnyLock lock(kind, fake[0], m_path);
        const Owner me;
        const Lock zombie = fake.run(lock->acquire({}, me));
        fake.server.expire(fake[0].sessionId());
        fake.settle(10s);
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, fake.run(lock->acquire({}, me)));
    }

    void twoLocksOfOneSessionExcludeEachOther_data() { rows(Exclusive); }
    void twoLocksOfOneSessionExcludeEachOther()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(1);
        AnyLock one(kind, fake[0], m_path);
        AnyLock two(kind, fake[0], m_path);
        std::optional<Lock> held = fake.run(one->acquire());
        QVERIFY(!fake.run(two->tryAcquire()));
        held.reset();
        QVERIFY(fake.run(two->tryAcquire()));
    }

    void aTryThatFailsLeavesNoNode_data()
    {
        rows("milliseconds", {{"mutex", 10}, {"zookeeper", 10}, {"writer", 10}, {"semaphore", 20}, {"slow", 20}});
    }
    void aTryThatFailsLeavesNoNode()
    {
        QFETCH(QByteArray, kind);
        QFETCH(int, milliseconds);
        FakeCluster fake(2, {.latency = 5ms});
        AnyLock first(kind, fake[0], m_path);
        AnyLock second(kind, fake[1], m_path);
        std::optional<Lock> lock = fake.run(first->acquire());
        fake.settle();
        const async::TimePoint before = fake.world.now();
        QVERIFY(!fake.run(second->tryAcquire()));
        QCOMPARE(fake.world.now() - before, async::Duration(1ms * milliseconds));
        fake.settle();
        QCOMPARE(nodes(kind, fake), 1);
        lock.reset();
        fake.settle();
        QVERIFY(fake.run(second->tryAcquire()));
    }

    void aCancelledWaiterLeavesTheLine_data()
    {
        // A semaphore has a ticket and a lease of the next in line. Waiters for a slow lock have no node.
        rows("nodesOfTwo", {{"mutex", 2}, {"zookeeper", 2}, {"writer", 2}, {"semaphore", 3}, {"slow", 1}});
    }
    void aCancelledWaiterLeavesTheLine()
    {
        QFETCH(QByteArray, kind);
        QFETCH(int, nodesOfTwo);
        FakeCluster fake(3);
        const Contenders contenders = contend(fake, kind, 3);
        contenders[1]->holder.cancel();
        fake.settle();
        QCOMPARE(nodes(kind, fake), nodesOfTwo);
        contenders[0]->holder.drop();
        fake.settle();
        QVERIFY(!contenders[1]->holder.has());
        QVERIFY(contenders[2]->holder.has());
    }

    void aTimeOutLeavesNoNode_data() { rows(Exclusive); }
    void aTimeOutLeavesNoNode()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(2);
        AnyLock first(kind, fake[0], m_path);
        AnyLock second(kind, fake[1], m_path);
        const Lock lock = fake.run(first->acquire());
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(1), second->acquire(), 2s)));
        fake.settle();
        QCOMPARE(nodes(kind, fake), 1);
        QVERIFY(fake.server.watches().empty());
    }

    void aLostReplyIsNotAnotherHolder_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<int>("fault");
        for (const char *kind : Exclusive) {
            QTest::addRow("%s, request lost", kind) << QByteArray(kind) << int(Fault::LoseRequest);
            QTest::addRow("%s, reply lost", kind) << QByteArray(kind) << int(Fault::LoseReply);
        }
    }
    void aLostReplyIsNotAnotherHolder()
    {
        QFETCH(QByteArray, kind);
        QFETCH(int, fault);
        FaultPlan plan;
        plan.scripted[1] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        FakeCluster fake(1);
        prepare(fake, kind);
        fake.add({.faults = &faults});
        AnyLock lock(kind, fake[1], m_path);
        const Lock held = fake.run(lock->acquire("me"));
        fake.settle(3s);
        QCOMPARE(faults.log().total(), 1u);
        QCOMPARE(nodes(kind, fake), 1);
        QCOMPARE(held.fence().czxid, fake.server.tree().find(held.fence().path)->stat.czxid);
        AnyLock other(kind, fake[0], m_path);
        QVERIFY(!fake.run(other->tryAcquire()));
    }

    void theExpiredHoldersWriteIsRefused_data() { rows(Exclusive); }
    void theExpiredHoldersWriteIsRefused()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(zk::Path("/decision")));
        AnyLock first(kind, fake[0], m_path);
        AnyLock second(kind, fake[1], m_path);
        const Lock zombie = fake.run(first->acquire());
        QVERIFY(fake.run(guardedWrite(fake[0], zombie.fence())));
        fake.process(0).freeze(); // it does not know that its session ends
        fake.server.expire(fake[0].sessionId());
        const Lock lock = fake.run(second->acquire());
        QVERIFY(lock.fence().czxid > zombie.fence().czxid);
        // The late write comes from a session that lives, as if the process had reconnected.
        QVERIFY(!fake.run(guardedWrite(fake[1], zombie.fence())));
        QVERIFY(fake.run(guardedWrite(fake[1], lock.fence())));
    }

    void aWaiterWhoseSessionExpiresGetsSessionLost_data() { rows(Exclusive); }
    void aWaiterWhoseSessionExpiresGetsSessionLost()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(2);
        const Contenders contenders = contend(fake, kind, 2);
        fake.server.expire(fake[1].sessionId());
        fake.settle(10s);
        QVERIFY(!contenders[1]->holder.has() && contenders[1]->holder.error());
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(contenders[1]->holder.error()));
    }

    // The last of three loses its node. It has to look again: the watch on the node ahead does not make it the holder.
    void aWaiterWhoseTicketIsDeletedIsNotGrantedTheLock_data() { rows(Fair); }
    void aWaiterWhoseTicketIsDeletedIsNotGrantedTheLock()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(3);
        const Contenders contenders = contend(fake, kind, 3);
        const QByteArray last = sortedBySequence(fake.childrenOf(m_path)).back();
        fake.run(removeNode(fake[0], m_path / last));
        contenders[0]->holder.drop();
        fake.settle();
        QVERIFY(contenders[1]->holder.has());
        QVERIFY(!contenders[2]->holder.has() && contenders[2]->holder.error());
        QVERIFY_THROWS_EXCEPTION(TicketRevoked, std::rethrow_exception(contenders[2]->holder.error()));
    }

    void aWaiterSurvivesARestartOfTheServer_data() { rows(Exclusive); }
    void aWaiterSurvivesARestartOfTheServer()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(2);
        const Contenders contenders = contend(fake, kind, 2);
        fake.server.stop();
        fake.settle(1s);
        fake.server.start();
        fake.settle(2s);
        QVERIFY(contenders[0]->holder.has() && contenders[1]->holder.waits());
        contenders[0]->holder.drop();
        fake.settle(2s);
        QVERIFY(contenders[1]->holder.has());
    }
};

QTEST_GUILESS_MAIN(LockableTest)
#include "lockable_test.moc"
