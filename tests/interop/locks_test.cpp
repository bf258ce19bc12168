#include "interop/arena.h"
#include "interop/contest.h"
#include "recipes/mutex.h"
#include "recipes/read_write_lock.h"
#include "recipes/semaphore.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// What is held, by clients of all three libraries, of which each has two where all of them know the recipe.
class LocksTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<Arena> m_arena;

    ForeignPeer &curator() { return m_arena->curator(); }
    ForeignPeer &kazoo() { return m_arena->kazoo(); }
    zk::Coordinator &ours(std::size_t index) { return m_arena->ours(index); }

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
    void initTestCase() { m_arena = std::make_unique<Arena>(); }
    void cleanupTestCase() { m_arena.reset(); }

    void oneMutexForAll()
    {
        const zk::Path path("/mutex");
        Mutex a(ours(1), path);
        Mutex b(ours(2), path);
        Mutex shut(ours(0), path);
        Lock gate = await(shut.acquire());
        Contest contest(path);
        for (const char *const client : {"a", "b"}) {
            contest.join(curator(), client, "lock");
            contest.join(kazoo(), client, "lock");
        }
        contest.join(a, ours(1), "a", "lock");
        contest.join(b, ours(2), "b", "lock");
        QVERIFY(m_arena->hasChildren(path, 1 + 6));
        gate.release();
        contest.finish();
        QCOMPARE(contest.verdict(), QString());
        QVERIFY(m_arena->hasChildren(path, 0));
    }

    // With its own names, and told of ours by its public option.
    void kazoosLockAsItIs()
    {
        const zk::Path path("/kazoolock");
        Mutex a(ours(1), path);
        Mutex b(ours(2), path);
        Mutex shut(ours(0), path);
        Lock gate = await(shut.acquire());
        Contest contest(path);
        for (const char *const client : {"a", "b"})
            contest.join(kazoo(), client, "kazoolock");
        contest.join(a, ours(1), "a", "lock");
        contest.join(b, ours(2), "b", "lock");
        QVERIFY(m_arena->hasChildren(path, 1 + 4));
        gate.release();
        contest.finish();
        QCOMPARE(contest.verdict(), QString());
    }

    void zooKeepersOwnLock()
    {
        const zk::Path path("/writelock");
        Mutex a(ours(1), path, Mutex::zooKeeper());
        Mutex b(ours(2), path, Mutex::zooKeeper());
        Mutex shut(ours(0), path, Mutex::zooKeeper());
        Lock gate = await(shut.acquire());
        Contest contest(path);
        for (const char *const client : {"a", "b"})
            contest.join(curator(), client, "writelock");
        contest.join(a, ours(1), "a", "writelock");
        contest.join(b, ours(2), "b", "writelock");
        QVERIFY(m_arena->hasChildren(path, 1 + 4));
        gate.release();
        contest.finish();
        QCOMPARE(contest.verdict(), QString());
    }

    // In each library one client reads and one writes.
    void oneReadWriteLockForAll()
    {
        const zk::Path path("/rw");
        ReadWriteLock a(ours(1), path);
        ReadWriteLock b(ours(2), path);
        ReadWriteLock shut(ours(0), path);
        Lock gate = await(shut.writer().acquire());
        Contest contest(path);
        for (ForeignPeer *const peer : {&curator(), &kazoo()}) {
            contest.join(*peer, "a", "read");
            contest.join(*peer, "b", "write");
        }
        contest.join(a.reader(), ours(1), "a", "read");
        contest.join(b.writer(), ours(2), "b", "write");
        QVERIFY(m_arena->hasChildren(path, 1 + 6));
        gate.release();
        contest.finish();
        QCOMPARE(contest.verdict(), QString());
        QVERIFY(m_arena->hasChildren(path, 0));
    }

    void oneSemaphoreForAll()
    {
        constexpr int Permits = 2;
        const zk::Path path("/semaphore");
        OneLease a{Semaphore(ours(1), path, Permits)};
        OneLease b{Semaphore(ours(2), path, Permits)};
        Semaphore shut(ours(0), path, Permits);
        std::vector<Lease> gate = await(shut.acquire(Permits));
        Contest contest(path);
        for (const char *const client : {"a", "b"}) {
            contest.join(curator(), client, "semaphore", QByteArray::number(Permits));
            contest.join(kazoo(), client, "semaphore", QByteArray::number(Permits));
        }
        contest.join(a, ours(1), "a", "semaphore");
        contest.join(b, ours(2), "b", "semaphore");
        QVERIFY(m_arena->hasChildren(path / "locks", 6));
        gate.clear();
        contest.finish();
        QCOMPARE(contest.verdict(Permits), QString());
        QVERIFY(m_arena->hasChildren(path / "leases", 0));
    }
};

QTEST_GUILESS_MAIN(LocksTest)
#include "locks_test.moc"
