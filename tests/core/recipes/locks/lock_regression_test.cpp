#include "async/or_timeout.h"
#include "core/recipes/holder.h"
#include "core/recipes/locks/any_lock.h"
#include "support/requests/request_kinds.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// Bugs that the recipes of other libraries had, tried on every exclusive lock. Where a row says "broken" the deletes
// never reach the server, and the test shows that it would notice.
class LockRegressionTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/lock"};

    void kinds(bool withBroken, bool withSlow = true)
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<bool>("broken");
        for (const char *kind : AnyLock::Kinds) {
            if (!withSlow && !AnyLock::standsInLine(kind))
                continue;
            QTest::newRow(kind) << QByteArray(kind) << false;
            if (withBroken)
                QTest::addRow("broken %s", kind) << QByteArray(kind) << true;
        }
    }

    static FakeSessionOptions options(bool broken, FaultInjector *faults = nullptr, async::Duration latency = 0ms)
    {
        FakeSessionOptions options{.latency = latency, .faults = faults};
        if (broken)
            options.sabotage = [](zk::Request &request) {
                if (const std::optional<zk::Path> path = removedBy(request))
                    request = zk::ExistsRequest{*path};
            };
        return options;
    }
    static std::optional<zk::Path> removedBy(const zk::Request &request)
    {
        if (const auto *remove = std::get_if<zk::RemoveRequest>(&request))
            return remove->path;
        if (const auto *multi = std::get_if<zk::MultiRequest>(&request)) {
            for (const zk::Transaction::Operation &operation : multi->transaction.operations()) {
                if (const auto *remove = std::get_if<zk::Transaction::Remove>(&operation))
                    return remove->path;
            }
        }
        return std::nullopt;
    }

    static FaultPlan plan(quint64 operation, Fault fault)
    {
        FaultPlan plan;
        plan.scripted[operation] = fault;
        return plan;
    }

    // The number of creates of ephemeral nodes that were carried out.
    static qsizetype creates(const FakeCluster &fake, const zk::Path &under)
    {
        const auto isOne = [&](const auto &create) {
            return create.path.bytes().startsWith(under.bytes()) && isEphemeral(create.mode);
        };
        return std::count_if(fake.server.log().begin(), fake.server.log().end(), [&](const auto &commit) {
            if (!commit.call || commit.call->response.code != zk::Code::Ok)
                return false;
            if (const auto *create = std::get_if<zk::CreateRequest>(&commit.call->request))
                return isOne(*create);
            const auto *multi = std::get_if<zk::MultiRequest>(&commit.call->request);
            const auto *first =
                multi ? std::get_if<zk::Transaction::Create>(&multi->transaction.operations().front()) : nullptr;
            return first && isOne(*first);
        });
    }

private Q_SLOTS:
    // CURATOR-45, 79, 205: the create succeeds, its caller fails.
    void aFailureAfterTheCreateLeavesNoNode_data() { kinds(true); }
    void aFailureAfterTheCreateLeavesNoNode()
    {
        QFETCH(QByteArray, kind);
        QFETCH(bool, broken);
        FaultInjector faults(plan(1, Fault::LoseReply));
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(AnyLock::furniture(kind, m_path)));
        fake.add(options(broken, &faults));
        AnyLock lock(kind, fake[1], m_path);
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(1), lock->acquire(), 1ms)));
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), 1); // it had been carried out
        fake.settle(3s);
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), broken ? 1 : 0);
    }

    // kazoo #732: a try fails, and cannot clean up at once.
    void aFailedTryIsCleanedUpAfterAnOutage_data() { kinds(true, false); }
    void aFailedTryIsCleanedUpAfterAnOutage()
    {
        QFETCH(QByteArray, kind);
        QFETCH(bool, broken);
        FaultInjector faults(plan(3, Fault::LoseRequest)); // create, children, then the delete
        FakeCluster fake(1);
        AnyLock holder(kind, fake[0], m_path);
        std::optional<Lock> held = fake.run(holder->acquire());
        fake.add(options(broken, &faults));
        AnyLock other(kind, fake[1], m_path);
        QVERIFY(!fake.run(other->tryAcquire()));
        fake.settle(3s);
        QCOMPARE(faults.log().count(Fault::LoseRequest), 1u);
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), broken ? 2 : 1);
    }

    // CURATOR-202, 678: released during an outage, and the same session comes back.
    void aLockReleasedDuringAnOutageIsFreeAfterwards_data() { kinds(true); }
    void aLockReleasedDuringAnOutageIsFreeAfterwards()
    {
        QFETCH(QByteArray, kind);
        QFETCH(bool, broken);
        FakeCluster fake(1, options(broken));
        fake.add();
        AnyLock holder(kind, fake[0], m_path);
        AnyLock other(kind, fake[1], m_path);
        std::optional<Lock> held = fake.run(holder->acquire());
        LockHolder waiter;
        waiter.keep(other->acquire());
        fake.settle();
        fake.session(0).disconnect();
        fake.settle();
        held.reset();
        fake.settle(1s);
        QVERIFY(!waiter.has());
        fake.session(0).reconnect();
        fake.settle(2s);
        QCOMPARE(waiter.has(), !broken);
    }

    // The slow lock's name is free for others while our delete is repeated.
    void theRepeatedDeleteSparesTheSuccessor()
    {
        FaultInjector faults(plan(2, Fault::LoseReply)); // create, then the delete
        FakeCluster fake(1);
        fake.add({.faults = &faults});
        fake.run(fake[0].ensurePath(AnyLock::furniture("slow", m_path)));
        SimpleLock first(fake[1], m_path);
        SimpleLock second(fake[0], m_path);
        std::optional<Lock> held = fake.run(first.acquire());
        held.reset();
        const Lock successor = fake.run(second.acquire());
        fake.settle(3s);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        QCOMPARE(AnyLock::nodes("slow", fake, m_path), 1);
    }

    // CURATOR-604, 696, 620: the session ends while the create is unanswered.
    void nothingIsGrantedOnADyingSession_data() { kinds(false); }
    void nothingIsGrantedOnADyingSession()
    {
        QFETCH(QByteArray, kind);
        FaultInjector faults(plan(1, Fault::LoseReply));
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(AnyLock::furniture(kind, m_path)));
        fake.add({.faults = &faults});
        AnyLock lock(kind, fake[1], m_path);
        LockHolder contender;
        contender.keep(lock->acquire());
        fake.world.runUntil([&] { return AnyLock::nodes(kind, fake, m_path) == 1; });
        fake.server.expire(fake[1].sessionId());
        fake.settle(10s);
        QVERIFY(!contender.has());
        QVERIFY(contender.error());
        QVERIFY_THROWS_EXCEPTION(zk::SessionLost, std::rethrow_exception(contender.error()));
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), 0);
    }

    // Another session has made a node whose name has our prefix. It is not ours.
    void anotherSessionsNodeIsNotAdopted()
    {
        FaultInjector faults(plan(1, Fault::LoseRequest));
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add({.faults = &faults});
        const QByteArray prefix = "x-" + QByteArray::number(fake[1].sessionId()) + '-';
        const Ticket::Taken forged = fake.run(Ticket::take(fake[0], m_path, prefix, ""));
        Mutex lock(fake[1], m_path, Mutex::zooKeeper());
        LockHolder contender;
        contender.keep(lock.acquire());
        fake.settle(3s);
        QCOMPARE(fake.childrenOf(m_path).size(), 3 - 1); // the forged one and ours
        QVERIFY(!contender.has());
    }

    // CURATOR-504, 644, 645: if a node ahead vanishes, the waiters behind it look again and create nothing. The slow
    // lock does create, once a waiter and release.
    void aVanishedPredecessorCausesNoCreate_data() { kinds(false); }
    void aVanishedPredecessorCausesNoCreate()
    {
        QFETCH(QByteArray, kind);
        constexpr int Contenders = 8;
        FakeCluster fake(Contenders);
        std::vector<std::unique_ptr<AnyLock>> locks;
        std::vector<LockHolder> contenders(Contenders);
        for (int i = 0; i < Contenders; ++i) {
            locks.push_back(std::make_unique<AnyLock>(kind, fake[i], m_path));
            contenders[static_cast<std::size_t>(i)].keep((*locks.back())->acquire());
            fake.settle();
        }
        for (int i = 0; i < Contenders - 1; ++i) {
            fake.server.expire(fake[i].sessionId());
            fake.settle();
        }
        QVERIFY(contenders.back().has() || kind == "slow");
        QCOMPARE(creates(fake, m_path), Contenders);
    }

    // CURATOR-18: given up while the create is on its way.
    void closedOnTheWayItLeavesNothing_data() { kinds(true); }
    void closedOnTheWayItLeavesNothing()
    {
        QFETCH(QByteArray, kind);
        QFETCH(bool, broken);
        FakeCluster fake(1, options(broken, nullptr, 50ms));
        fake.run(fake[0].ensurePath(AnyLock::furniture(kind, m_path)));
        AnyLock lock(kind, fake[0], m_path);
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(0), lock->acquire(), 60ms)));
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), 1);
        fake.settle(1s);
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), broken ? 1 : 0);
        QCOMPARE(fake[0].pendingCleanups(), 0);
    }

    // CURATOR-724, 308: the directory is deleted between two uses, as a container is.
    void aDirectoryThatVanishesIsMadeAgain_data() { kinds(false); }
    void aDirectoryThatVanishesIsMadeAgain()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(1);
        AnyLock lock(kind, fake[0], m_path);
        fake.run(lock->acquire()).release();
        fake.settle();
        fake.get(fake[0].remove(AnyLock::furniture(kind, m_path))).require();
        fake.get(fake[0].remove(m_path.parent())).require();
        const Lock again = fake.run(lock->acquire());
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), 1);
    }

    // kazoo #170, #26: what happens while a waiter is disconnected is not lost to it.
    void aReleaseDuringADisconnectIsNotLost_data() { kinds(false); }
    void aReleaseDuringADisconnectIsNotLost()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(2);
        AnyLock holder(kind, fake[0], m_path);
        AnyLock other(kind, fake[1], m_path);
        std::optional<Lock> held = fake.run(holder->acquire());
        LockHolder waiter;
        waiter.keep(other->acquire());
        fake.settle();
        fake.session(1).disconnect();
        fake.settle();
        held.reset();
        fake.settle();
        fake.session(1).reconnect();
        fake.settle(2s);
        QVERIFY(waiter.has());
    }

    // kazoo #730, CURATOR-688: the server's counter stops at 2^31 - 1.
    void usedUpNumbersAreRefused_data() { kinds(false, false); }
    void usedUpNumbersAreRefused()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.server.tree().setNextSequence(m_path, zk::LastSequence - 1);
        AnyLock lock(kind, fake[0], m_path);
        {
            const Lock last = fake.run(lock->acquire());
            QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, fake.run(lock->acquire()));
            QVERIFY_THROWS_EXCEPTION(NumbersUsedUp, fake.run(lock->tryAcquire()));
        }
        fake.settle();
        QCOMPARE(AnyLock::nodes(kind, fake, m_path), 0);
    }
};

QTEST_GUILESS_MAIN(LockRegressionTest)
#include "lock_regression_test.moc"
