#include "interop/contention_run.h"
#include "interop/interop_fixture.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/semaphore.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// What is held, by clients of all three libraries, of which each has two where all of them know the recipe.
class LocksTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<InteropFixture> m_fixture;

    ForeignPeer &curator() { return m_fixture->curator(); }
    ForeignPeer &kazoo() { return m_fixture->kazoo(); }
    zk::Client &ours(std::size_t index) { return m_fixture->ours(index); }

    // A semaphore as a contest takes it: one lease at a time.
    struct OneLease {
        Semaphore semaphore;
        async::Task<Lease> acquire()
        {
            std::vector<Lease> leases = co_await semaphore.acquire();
            co_return std::move(leases.front());
        }
    };

private Q_SLOTS:
    void initTestCase() { m_fixture = std::make_unique<InteropFixture>(); }
    void cleanupTestCase() { m_fixture.reset(); }

    void oneMutexForAll()
    {
        const zk::Path path("/mutex");
        Mutex a(ours(1), path);
        Mutex b(ours(2), path);
        Mutex shut(ours(0), path);
        Lock gate = await(shut.acquire());
        ContentionRun run(path);
        for (const char *const client : {"a", "b"}) {
            run.join(curator(), client, "lock");
            run.join(kazoo(), client, "lock");
        }
        run.join(a, ours(1), "a", "lock");
        run.join(b, ours(2), "b", "lock");
        QVERIFY(m_fixture->hasChildren(path, 1 + 6));
        gate.release();
        run.finish();
        QCOMPARE(run.verdict(), QString());
        QVERIFY(m_fixture->hasChildren(path, 0));
    }

    // With its own names, and told of ours by its public option.
    void kazoosLockAsItIs()
    {
        const zk::Path path("/kazoolock");
        Mutex a(ours(1), path);
        Mutex b(ours(2), path);
        Mutex shut(ours(0), path);
        Lock gate = await(shut.acquire());
        ContentionRun run(path);
        for (const char *const client : {"a", "b"})
            run.join(kazoo(), client, "kazoolock");
        run.join(a, ours(1), "a", "lock");
        run.join(b, ours(2), "b", "lock");
        QVERIFY(m_fixture->hasChildren(path, 1 + 4));
        gate.release();
        run.finish();
        QCOMPARE(run.verdict(), QString());
    }

    void zooKeepersOwnLock()
    {
        const zk::Path path("/writelock");
        Mutex a(ours(1), path, Mutex::zooKeeper());
        Mutex b(ours(2), path, Mutex::zooKeeper());
        Mutex shut(ours(0), path, Mutex::zooKeeper());
        Lock gate = await(shut.acquire());
        ContentionRun run(path);
        for (const char *const client : {"a", "b"})
            run.join(curator(), client, "writelock");
        run.join(a, ours(1), "a", "writelock");
        run.join(b, ours(2), "b", "writelock");
        QVERIFY(m_fixture->hasChildren(path, 1 + 4));
        gate.release();
        run.finish();
        QCOMPARE(run.verdict(), QString());
    }

    // In each library one client reads and one writes.
    void oneReadWriteLockForAll()
    {
        const zk::Path path("/rw");
        ReadWriteLock a(ours(1), path);
        ReadWriteLock b(ours(2), path);
        ReadWriteLock shut(ours(0), path);
        Lock gate = await(shut.writer().acquire());
        ContentionRun run(path);
        for (ForeignPeer *const peer : {&curator(), &kazoo()}) {
            run.join(*peer, "a", "read");
            run.join(*peer, "b", "write");
        }
        run.join(a.reader(), ours(1), "a", "read");
        run.join(b.writer(), ours(2), "b", "write");
        QVERIFY(m_fixture->hasChildren(path, 1 + 6));
        gate.release();
        run.finish();
        QCOMPARE(run.verdict(), QString());
        QVERIFY(m_fixture->hasChildren(path, 0));
    }

    void oneSemaphoreForAll()
    {
        constexpr int Permits = 2;
        const zk::Path path("/semaphore");
        OneLease a{Semaphore(ours(1), path, Permits)};
        OneLease b{Semaphore(ours(2), path, Permits)};
        Semaphore shut(ours(0), path, Permits);
        std::vector<Lease> gate = await(shut.acquire(Permits));
        ContentionRun run(path);
        for (const char *const client : {"a", "b"}) {
            run.join(curator(), client, "semaphore", QByteArray::number(Permits));
            run.join(kazoo(), client, "semaphore", QByteArray::number(Permits));
        }
        run.join(a, ours(1), "a", "semaphore");
        run.join(b, ours(2), "b", "semaphore");
        QVERIFY(m_fixture->hasChildren(path / "locks", 6));
        gate.clear();
        run.finish();
        QCOMPARE(run.verdict(Permits), QString());
        QVERIFY(m_fixture->hasChildren(path / "leases", 0));
    }
};

QTEST_GUILESS_MAIN(LocksTest)
#include "locks_test.moc"
