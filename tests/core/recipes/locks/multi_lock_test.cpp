#include "async/or_timeout.h"
#include "core/recipes/holder.h"
#include "core/recipes/locks/any_lock.h"
#include "recipes/locks/multi_lock.h"

#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

class MultiLockTest : public QObject
{
    Q_OBJECT

    const zk::Path m_a{"/test/a"};
    const zk::Path m_b{"/test/b"};
    const zk::Path m_c{"/test/c"};

    // A process with a lock of another kind at each path.
    struct Process {
        AnyLock a;
        AnyLock b;
        AnyLock c;
    };

    Process process(FakeCluster &fake, int who) const
    {
        return Process{AnyLock("mutex", fake[who], m_a), AnyLock("slow", fake[who], m_b),
                       AnyLock("writer", fake[who], m_c)};
    }

    QList<qsizetype> nodes(const FakeCluster &fake) const
    {
        return {AnyLock::nodes("mutex", fake, m_a), AnyLock::nodes("slow", fake, m_b),
                AnyLock::nodes("writer", fake, m_c)};
    }

private Q_SLOTS:
    void holdsAllAndReleasesAll()
    {
        FakeCluster fake(2);
        Process p = process(fake, 0);
        MultiLock multi({&*p.c, &*p.a, &*p.b});
        MultiHold held = fake.run(multi.acquire());
        QCOMPARE(held.locks().size(), 3u);
        QCOMPARE(held.locks().front().fence().path.parent(), m_a); // by path, not by the list
        QCOMPARE(nodes(fake), (QList<qsizetype>{1, 1, 1}));
        held.release();
        fake.settle();
        QCOMPARE(nodes(fake), (QList<qsizetype>{0, 0, 0}));
    }

    void twoThatListThemDifferentlyDoNotDeadlock()
    {
        FakeCluster fake(2, {.latency = 5ms});
        Process p = process(fake, 0);
        Process q = process(fake, 1);
        MultiLock first({&*p.a, &*p.b, &*p.c});
        MultiLock second({&*q.c, &*q.b, &*q.a});
        Holder<MultiHold> one;
        Holder<MultiHold> two;
        one.keep(first.acquire());
        two.keep(second.acquire());
        fake.settle(1s);
        QCOMPARE(one.has() + two.has(), 1);
        (one.has() ? one : two).drop();
        fake.settle(1s);
        QCOMPARE(one.has() + two.has(), 1);
        QVERIFY(!one.waits() && !two.waits());
    }

    void aTryTakesAllOrNone()
    {
        FakeCluster fake(2);
        Process p = process(fake, 0);
        Process q = process(fake, 1);
        std::optional<Lock> last = fake.run(q.c->acquire());
        MultiLock multi({&*p.a, &*p.b, &*p.c});
        QVERIFY(!fake.run(multi.tryAcquire()));
        fake.settle();
        QCOMPARE(nodes(fake), (QList<qsizetype>{0, 0, 1}));
        last.reset();
        QVERIFY(fake.run(multi.tryAcquire()));
    }

    void aTimeOutGivesBackWhatItHad()
    {
        FakeCluster fake(2);
        Process p = process(fake, 0);
        Process q = process(fake, 1);
        const Lock last = fake.run(q.c->acquire());
        MultiLock multi({&*p.a, &*p.b, &*p.c});
        QVERIFY_THROWS_EXCEPTION(async::Timeout, fake.run(async::orTimeout(fake.process(0), multi.acquire(), 2s)));
        fake.settle();
        QCOMPARE(nodes(fake), (QList<qsizetype>{0, 0, 1}));
    }

    void allFencesGuardAWrite()
    {
        FakeCluster fake(2);
        Process p = process(fake, 0);
        MultiLock multi({&*p.a, &*p.b, &*p.c});
        const MultiHold held = fake.run(multi.acquire());
        const auto write = [&]() -> async::Task<bool> {
            zk::Transaction transaction;
            held.guard(transaction).create(zk::Path("/test/file"), "", zk::CreateMode::PersistentSequential);
            const zk::Answer<zk::Committed> committed = co_await fake[1].commit(transaction);
            co_return committed.ok();
        };
        QVERIFY(fake.run(write()));
        fake.get(fake[1].remove(m_b)).require(); // one of three is enough
        QVERIFY(!fake.run(write()));
    }

    void oneLockTwiceIsRefused()
    {
        FakeCluster fake(1);
        ReadWriteLock lock(fake[0], m_a);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, MultiLock({&lock.reader(), &lock.writer()}));
    }
};

QTEST_GUILESS_MAIN(MultiLockTest)
#include "multi_lock_test.moc"
