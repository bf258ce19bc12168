#include "core/recipes/holder.h"
#include "recipes/locks/write_lock.h"
#include "support/fake/fake_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class WriteLockTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/write"};

    // The calls of a test's listeners, in order: "+0", "-0", "!0" for a loss.
    QByteArrayList m_told;

    WriteLock::Listener listener(int who)
    {
        return {[this, who] { m_told << '+' + QByteArray::number(who); },
                [this, who](const std::exception_ptr &reason) {
                    m_told << (reason ? '!' : '-') + QByteArray::number(who);
                }};
    }

private Q_SLOTS:
    void init() { m_told.clear(); }

    void isNamedAsZooKeepersRecipeNamesIt()
    {
        FakeCluster fake(1);
        WriteLock lock(fake[0], m_path, {});
        QVERIFY(lock.id().isEmpty());
        lock.lock();
        fake.settle();
        const QByteArray name = "x-" + QByteArray::number(fake[0].sessionId()) + "-0000000000";
        QCOMPARE(lock.id(), (m_path / name).bytes());
        QVERIFY(lock.isOwner());
        QCOMPARE(lock.fence().path.name(), name);
    }

    void listenersAreCalledInTurn()
    {
        FakeCluster fake(3);
        WriteLock first(fake[0], m_path, listener(0));
        WriteLock second(fake[1], m_path, listener(1));
        WriteLock third(fake[2], m_path, listener(2));
        first.lock();
        first.lock(); // once is enough
        fake.settle();
        second.lock();
        fake.settle();
        third.lock();
        fake.settle();
        QCOMPARE(m_told, (QByteArrayList{"+0"}));
        QVERIFY(!second.isOwner() && !second.id().isEmpty());
        second.unlock(); // from the middle of the line
        fake.settle();
        first.unlock();
        QVERIFY(!first.isOwner() && first.id().isEmpty());
        fake.settle();
        QCOMPARE(m_told, (QByteArrayList{"+0", "-1", "-0", "+2"}));
        QCOMPARE(fake.childrenOf(m_path).size(), 1);
    }

    // A session id is no part of the order: here the lower number has the greater one.
    void ordersByNumberAlone()
    {
        FakeCluster fake(2);
        QVERIFY(fake[1].sessionId() > fake[0].sessionId());
        WriteLock first(fake[1], m_path, listener(1));
        WriteLock second(fake[0], m_path, listener(0));
        first.lock();
        fake.settle();
        second.lock();
        fake.settle();
        QVERIFY(first.isOwner() && !second.isOwner());
    }

    // CURATOR-495, 472: a listener may do anything, such as end what called it.
    void aListenerMayUnlockAndDestroy()
    {
        FakeCluster fake(1);
        std::optional<WriteLock> lock;
        lock.emplace(fake[0], m_path, WriteLock::Listener{[&] { lock->unlock(); }, [&](auto) { lock.reset(); }});
        lock->lock();
        fake.settle();
        QVERIFY(!lock);
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

    void aLossIsReported_data()
    {
        QTest::addColumn<bool>("expired");
        QTest::newRow("session expired") << true;
        QTest::newRow("node deleted") << false;
    }
    void aLossIsReported()
    {
        QFETCH(bool, expired);
        FakeCluster fake(2);
        WriteLock lock(fake[0], m_path, listener(0));
        lock.lock();
        fake.settle();
        if (expired)
            fake.server.expire(fake[0].sessionId());
        else
            fake.get(fake[1].remove(lock.fence().path)).require();
        fake.settle(10s);
        QVERIFY(!lock.isOwner());
        QCOMPARE(m_told, (QByteArrayList{"+0", "!0"}));
        lock.lock(); // a new place, if the session lives
        fake.settle();
        QCOMPARE(lock.isOwner(), !expired);
    }

    void destroyedItUnlocksSilently()
    {
        FakeCluster fake(1);
        {
            WriteLock lock(fake[0], m_path, listener(0));
            lock.lock();
            fake.settle();
        }
        fake.settle();
        QCOMPARE(m_told, (QByteArrayList{"+0"}));
        QVERIFY(fake.childrenOf(m_path).isEmpty());
    }

    // Both replies are lost, both names begin alike: each finds its own by the data, and a third that is given up
    // takes no other's along.
    void twoLocksOfOneSessionAreDistinguished()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply; // of the first create; what was sent after it is lost as well
        FaultInjector faults(plan);
        FakeCluster fake(1);
        fake.run(fake[0].ensurePath(m_path));
        fake.add();
        fake.add({.faults = &faults});
        WriteLock other(fake[1], m_path, listener(1));
        WriteLock first(fake[2], m_path, listener(2));
        WriteLock second(fake[2], m_path, listener(3));
        first.lock();
        second.lock();
        fake.settle(3s);
        QCOMPARE(faults.log().total(), 1u);
        QVERIFY(!first.id().isEmpty() && !second.id().isEmpty());
        QVERIFY(first.id() != second.id());
        QCOMPARE(fake.childrenOf(m_path).size(), 2);
        QCOMPARE(first.isOwner() + second.isOwner(), 1);
        other.lock();
        fake.settle();
        first.unlock();
        second.unlock();
        fake.settle();
        QVERIFY(other.isOwner());
    }

    void anUnlockBeforeTheAnswerDeletesNoOtherNode()
    {
        FakeCluster fake(1, {.latency = 50ms});
        fake.run(fake[0].ensurePath(m_path));
        WriteLock kept(fake[0], m_path, listener(0));
        kept.lock();
        fake.settle(1s);
        {
            WriteLock given(fake[0], m_path, listener(1));
            given.lock();
            fake.settle(60ms);
            QCOMPARE(fake.childrenOf(m_path).size(), 2);
        }
        fake.settle(1s);
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{kept.fence().path.name()});
        QVERIFY(kept.isOwner());
    }

    void sharesItsLineWithAMutexOfTheSameLayout()
    {
        FakeCluster fake(2);
        Mutex mutex(fake[0], m_path, Mutex::zooKeeper());
        WriteLock lock(fake[1], m_path, listener(1));
        std::optional<Lock> held = fake.run(mutex.acquire());
        lock.lock();
        fake.settle();
        QVERIFY(!lock.isOwner());
        held.reset();
        fake.settle();
        QVERIFY(lock.isOwner());
    }
};

QTEST_GUILESS_MAIN(WriteLockTest)
#include "write_lock_test.moc"
