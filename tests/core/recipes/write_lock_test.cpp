#include "core/recipes/keeper.h"
#include "recipes/write_lock.h"
#include "support/fake_party.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class WriteLockTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/test/write"};

    // What the listeners of a test were told, in order: "+0", "-0", "!0" for a loss.
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
        FakeParty party(1);
        WriteLock lock(party[0], m_path, {});
        QVERIFY(lock.id().isEmpty());
        lock.lock();
        party.settle();
        const QByteArray name = "x-" + QByteArray::number(party[0].sessionId()) + "-0000000000";
        QCOMPARE(lock.id(), (m_path / name).bytes());
        QVERIFY(lock.isOwner());
        QCOMPARE(lock.fence().path.name(), name);
    }

    void listenersAreToldInTurn()
    {
        FakeParty party(3);
        WriteLock first(party[0], m_path, listener(0));
        WriteLock second(party[1], m_path, listener(1));
        WriteLock third(party[2], m_path, listener(2));
        first.lock();
        first.lock(); // once is enough
        party.settle();
        second.lock();
        party.settle();
        third.lock();
        party.settle();
        QCOMPARE(m_told, (QByteArrayList{"+0"}));
        QVERIFY(!second.isOwner() && !second.id().isEmpty());
        second.unlock(); // from the middle of the line
        party.settle();
        first.unlock();
        QVERIFY(!first.isOwner() && first.id().isEmpty());
        party.settle();
        QCOMPARE(m_told, (QByteArrayList{"+0", "-1", "-0", "+2"}));
        QCOMPARE(party.childrenOf(m_path).size(), 1);
    }

    // A session id is no part of the order: here the lower number has the greater one.
    void ordersByNumberAlone()
    {
        FakeParty party(2);
        QVERIFY(party[1].sessionId() > party[0].sessionId());
        WriteLock first(party[1], m_path, listener(1));
        WriteLock second(party[0], m_path, listener(0));
        first.lock();
        party.settle();
        second.lock();
        party.settle();
        QVERIFY(first.isOwner() && !second.isOwner());
    }

    // CURATOR-495, 472: a listener may do anything, such as end what called it.
    void lesson13_aListenerMayUnlockAndDestroy()
    {
        FakeParty party(1);
        std::optional<WriteLock> lock;
        lock.emplace(party[0], m_path, WriteLock::Listener{[&] { lock->unlock(); }, [&](auto) { lock.reset(); }});
        lock->lock();
        party.settle();
        QVERIFY(!lock);
        QVERIFY(party.childrenOf(m_path).isEmpty());
    }

    void aLossIsTold_data()
    {
        QTest::addColumn<bool>("expired");
        QTest::newRow("session expired") << true;
        QTest::newRow("node deleted") << false;
    }
    void aLossIsTold()
    {
        QFETCH(bool, expired);
        FakeParty party(2);
        WriteLock lock(party[0], m_path, listener(0));
        lock.lock();
        party.settle();
        const auto remove = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await party[1].remove(lock.fence().path);
            removed.require();
        };
        if (expired)
            party.server.expire(party[0].sessionId());
        else
            party.run(remove());
        party.settle(10s);
        QVERIFY(!lock.isOwner());
        QCOMPARE(m_told, (QByteArrayList{"+0", "!0"}));
        lock.lock(); // a new place, if the session lives
        party.settle();
        QCOMPARE(lock.isOwner(), !expired);
    }

    void destroyedItUnlocksSilently()
    {
        FakeParty party(1);
        {
            WriteLock lock(party[0], m_path, listener(0));
            lock.lock();
            party.settle();
        }
        party.settle();
        QCOMPARE(m_told, (QByteArrayList{"+0"}));
        QVERIFY(party.childrenOf(m_path).isEmpty());
    }

    // Both replies are lost, both names begin alike: each finds its own by the data, and a third that is given up
    // takes no other's along.
    void twoOfOneSessionAreToldApart()
    {
        FaultPlan plan;
        plan.scripted[1] = Fault::LoseReply; // of the first create; what was sent after it is lost as well
        FaultInjector faults(plan);
        FakeParty party(1);
        party.run(party[0].ensurePath(m_path));
        party.add();
        party.add({.faults = &faults});
        WriteLock other(party[1], m_path, listener(1));
        WriteLock first(party[2], m_path, listener(2));
        WriteLock second(party[2], m_path, listener(3));
        first.lock();
        second.lock();
        party.settle(3s);
        QCOMPARE(faults.log().total(), 1u);
        QVERIFY(!first.id().isEmpty() && !second.id().isEmpty());
        QVERIFY(first.id() != second.id());
        QCOMPARE(party.childrenOf(m_path).size(), 2);
        QCOMPARE(first.isOwner() + second.isOwner(), 1);
        other.lock();
        party.settle();
        first.unlock();
        second.unlock();
        party.settle();
        QVERIFY(other.isOwner());
    }

    void whatIsGivenUpUnansweredTakesNoOthersNode()
    {
        FakeParty party(1, {.latency = 50ms});
        party.run(party[0].ensurePath(m_path));
        WriteLock kept(party[0], m_path, listener(0));
        kept.lock();
        party.settle(1s);
        {
            WriteLock given(party[0], m_path, listener(1));
            given.lock();
            party.settle(60ms);
            QCOMPARE(party.childrenOf(m_path).size(), 2);
        }
        party.settle(1s);
        QCOMPARE(party.childrenOf(m_path), QByteArrayList{kept.fence().path.name()});
        QVERIFY(kept.isOwner());
    }

    void sharesItsLineWithAMutexOfTheSameLayout()
    {
        FakeParty party(2);
        Mutex mutex(party[0], m_path, Mutex::zooKeeper());
        WriteLock lock(party[1], m_path, listener(1));
        std::optional<Lock> held = party.run(mutex.acquire());
        lock.lock();
        party.settle();
        QVERIFY(!lock.isOwner());
        held.reset();
        party.settle();
        QVERIFY(lock.isOwner());
    }
};

QTEST_GUILESS_MAIN(WriteLockTest)
#include "write_lock_test.moc"
