#include "core/recipes/holder.h"
#include "core/recipes/locks/any_lock.h"
#include "recipes/blocks/line.h"
#include "recipes/elections/leader_latch.h"
#include "recipes/locks/revocation.h"
#include "recipes/locks/semaphore.h"
#include "recipes/locks/write_lock.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// The line behind locks, elections and semaphores: what becomes of a waiter whose own node is deleted by another
// program.
class LineTest : public QObject
{
    Q_OBJECT

    const zk::Path m_path{"/line"};

    void remove(FakeCluster &fake, const zk::Path &path) { fake.get(fake[0].remove(path)).require(); }

    zk::Path lastIn(const FakeCluster &fake, const zk::Path &directory)
    {
        return directory / sortedBySequence(fake.childrenOf(directory)).back();
    }

    static bool isRevoked(const std::exception_ptr &error)
    {
        if (!error)
            return false;
        try {
            std::rethrow_exception(error);
        } catch (const TicketRevoked &) {
            return true;
        }
    }

    static void kindsOfLock()
    {
        QTest::addColumn<QByteArray>("kind");
        for (const char *const kind : {"mutex", "zookeeper", "writer"})
            QTest::newRow(kind) << QByteArray(kind);
    }

private Q_SLOTS:
    void aWaiterWhoseNodeWasDeletedIsNotGrantedTheLock_data() { kindsOfLock(); }
    void aWaiterWhoseNodeWasDeletedIsNotGrantedTheLock()
    {
        QFETCH(QByteArray, kind);
        FakeCluster fake(3);
        std::vector<std::unique_ptr<AnyLock>> locks;
        LockHolder holders[3];
        for (int i = 0; i < 2; ++i) {
            locks.push_back(std::make_unique<AnyLock>(kind, fake[i], m_path));
            holders[i].keep((*locks.back())->acquire());
            fake.settle();
        }
        remove(fake, lastIn(fake, m_path));
        fake.settle();
        QVERIFY(isRevoked(holders[1].error())); // at once, not when its turn would have come
        locks.push_back(std::make_unique<AnyLock>(kind, fake[2], m_path));
        holders[2].keep((*locks.back())->acquire());
        fake.settle();
        holders[0].drop();
        fake.settle();
        QVERIFY(!holders[1].has());
        QVERIFY(holders[2].has());
        holders[2].drop();
        fake.settle();
        QVERIFY(fake.server.watches().empty());
    }

    // Both deletions are reported to the waiter at once, after its reconnection, and in any order.
    void aWaiterWithoutAConnectionIsNotGrantedTheLock_data() { kindsOfLock(); }
    void aWaiterWithoutAConnectionIsNotGrantedTheLock()
    {
        QFETCH(QByteArray, kind);
        for (int round = 0; round < 8; ++round) { // names are random, and with them the order of the events
            FakeCluster fake(2);
            for (int i = 0; i < round; ++i)
                fake.process(1).makeUuid();
            AnyLock first(kind, fake[0], m_path);
            AnyLock second(kind, fake[1], m_path);
            LockHolder holders[2];
            holders[0].keep(first->acquire());
            fake.settle();
            holders[1].keep(second->acquire());
            fake.settle();
            fake.session(1).disconnectFor(2s);
            remove(fake, lastIn(fake, m_path));
            holders[0].drop();
            fake.settle(1s);
            QVERIFY(fake.childrenOf(m_path).isEmpty());
            QVERIFY(!holders[1].error());
            fake.settle(5s);
            QVERIFY(!holders[1].has());
            QVERIFY(isRevoked(holders[1].error()));
        }
    }

    // A request to let go changes the data of a node that waits. It stays in line.
    void aWaiterWhoseNodeWasWrittenToStaysInLine()
    {
        FakeCluster fake(2);
        Mutex first(fake[0], m_path);
        Mutex second(fake[1], m_path);
        LockHolder holders[2];
        holders[0].keep(first.acquire());
        fake.settle();
        holders[1].keep(second.acquire());
        fake.settle();
        fake.run(askRevocation(fake[0], lastIn(fake, m_path)));
        fake.settle();
        QVERIFY(holders[1].waits());
        holders[0].drop();
        fake.settle();
        QVERIFY(holders[1].has());
    }

    void aReaderWhoseNodeWasDeletedIsNotGrantedTheLock()
    {
        FakeCluster fake(2);
        ReadWriteLock first(fake[0], m_path);
        ReadWriteLock second(fake[1], m_path);
        LockHolder writer;
        LockHolder reader;
        writer.keep(first.writer().acquire());
        fake.settle();
        reader.keep(second.reader().acquire());
        fake.settle();
        remove(fake, lastIn(fake, m_path));
        writer.drop();
        fake.settle();
        QVERIFY(!reader.has() && isRevoked(reader.error()));
    }

    void aListenersLockIsNotGranted()
    {
        FakeCluster fake(2);
        Mutex first(fake[0], m_path, Mutex::zooKeeper());
        LockHolder holder;
        holder.keep(first.acquire());
        fake.settle();
        int acquired = 0;
        std::exception_ptr reason;
        WriteLock second(fake[1], m_path,
                         {.acquired = [&] { ++acquired; }, .released = [&](std::exception_ptr why) { reason = why; }});
        second.lock();
        fake.settle();
        remove(fake, lastIn(fake, m_path));
        holder.drop();
        fake.settle();
        QCOMPARE(acquired, 0);
        QVERIFY(isRevoked(reason));
    }

    // A candidate holds nothing yet: it stands again, and leads with the new node.
    void aCandidateWhoseNodeWasDeletedStandsAgain()
    {
        FakeCluster fake(2);
        LeaderLatch first(fake[0], m_path);
        LeaderLatch second(fake[1], m_path);
        Holder<Leadership> leaders[2];
        leaders[0].keep(first.campaign("a"));
        fake.settle();
        leaders[1].keep(second.campaign("b"));
        fake.settle();
        const zk::Path deleted = lastIn(fake, m_path);
        remove(fake, deleted);
        fake.settle();
        QCOMPARE(fake.childrenOf(m_path).size(), 2);
        leaders[0].drop();
        fake.settle();
        QVERIFY(leaders[1].has());
        QVERIFY((*leaders[1]).fence().path != deleted);
        QCOMPARE(fake.childrenOf(m_path), QByteArrayList{(*leaders[1]).fence().path.name()});
    }

    // The semaphore's line for admission.
    void aWaiterWhoseNodeWasDeletedIsNotAdmitted()
    {
        FakeCluster fake(3);
        std::vector<std::unique_ptr<Semaphore>> semaphores;
        Holder<std::vector<Lease>> holders[3];
        for (int i = 0; i < 3; ++i) { // one has the permit, one waits for it, one waits for admission
            semaphores.push_back(std::make_unique<Semaphore>(fake[i], m_path, 1));
            holders[i].keep(semaphores.back()->acquire());
            fake.settle();
        }
        remove(fake, lastIn(fake, m_path / "locks"));
        holders[0].drop();
        fake.settle();
        QVERIFY(holders[1].has());
        holders[1].drop();
        fake.settle();
        QVERIFY(!holders[2].has() && isRevoked(holders[2].error()));
        QVERIFY(fake.childrenOf(m_path / "leases").isEmpty());
    }
};

QTEST_GUILESS_MAIN(LineTest)

#include "line_test.moc"
