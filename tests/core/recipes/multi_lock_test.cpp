#include "async/or_timeout.h"
#include "core/recipes/any_lock.h"
#include "core/recipes/keeper.h"
#include "recipes/multi_lock.h"

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

    Process process(FakeParty &party, int who) const
    {
        return Process{AnyLock("mutex", party[who], m_a), AnyLock("slow", party[who], m_b),
                       AnyLock("writer", party[who], m_c)};
    }

    QList<qsizetype> nodes(const FakeParty &party) const
    {
        return {AnyLock::nodes("mutex", party, m_a), AnyLock::nodes("slow", party, m_b),
                AnyLock::nodes("writer", party, m_c)};
    }

private Q_SLOTS:
    void holdsAllAndReleasesAll()
    {
        FakeParty party(2);
        Process p = process(party, 0);
        MultiLock multi({&*p.c, &*p.a, &*p.b});
        MultiHold held = party.run(multi.acquire());
        QCOMPARE(held.locks().size(), 3u);
        QCOMPARE(held.locks().front().fence().path.parent(), m_a); // by path, not by the list
        QCOMPARE(nodes(party), (QList<qsizetype>{1, 1, 1}));
        held.release();
        party.settle();
        QCOMPARE(nodes(party), (QList<qsizetype>{0, 0, 0}));
    }

    void twoThatListThemDifferentlyDoNotDeadlock()
    {
        FakeParty party(2, {.latency = 5ms});
        Process p = process(party, 0);
        Process q = process(party, 1);
        MultiLock first({&*p.a, &*p.b, &*p.c});
        MultiLock second({&*q.c, &*q.b, &*q.a});
        Keeper<MultiHold> one;
        Keeper<MultiHold> two;
        one.keep(first.acquire());
        two.keep(second.acquire());
        party.settle(1s);
        QCOMPARE(one.has() + two.has(), 1);
        (one.has() ? one : two).drop();
        party.settle(1s);
        QCOMPARE(one.has() + two.has(), 1);
        QVERIFY(!one.waits() && !two.waits());
    }

    void aTryTakesAllOrNone()
    {
        FakeParty party(2);
        Process p = process(party, 0);
        Process q = process(party, 1);
        std::optional<Lock> last = party.run(q.c->acquire());
        MultiLock multi({&*p.a, &*p.b, &*p.c});
        QVERIFY(!party.run(multi.tryAcquire()));
        party.settle();
        QCOMPARE(nodes(party), (QList<qsizetype>{0, 0, 1}));
        last.reset();
        QVERIFY(party.run(multi.tryAcquire()));
    }

    void aTimeOutGivesBackWhatItHad()
    {
        FakeParty party(2);
        Process p = process(party, 0);
        Process q = process(party, 1);
        const Lock last = party.run(q.c->acquire());
        MultiLock multi({&*p.a, &*p.b, &*p.c});
        QVERIFY_THROWS_EXCEPTION(async::Timeout, party.run(async::orTimeout(party.process(0), multi.acquire(), 2s)));
        party.settle();
        QCOMPARE(nodes(party), (QList<qsizetype>{0, 0, 1}));
    }

    void allFencesGuardAWrite()
    {
        FakeParty party(2);
        Process p = process(party, 0);
        MultiLock multi({&*p.a, &*p.b, &*p.c});
        const MultiHold held = party.run(multi.acquire());
        const auto write = [&]() -> async::Task<bool> {
            zk::Transaction transaction;
            held.guard(transaction).create(zk::Path("/test/file"), "", zk::CreateMode::PersistentSequential);
            const zk::Answer<zk::Committed> committed = co_await party[1].commit(transaction);
            co_return committed.ok();
        };
        const auto depose = [&]() -> async::Task<void> {
            const zk::Answer<zk::Nothing> removed = co_await party[1].remove(m_b);
            removed.require();
        };
        QVERIFY(party.run(write()));
        party.run(depose()); // one of three is enough
        QVERIFY(!party.run(write()));
    }

    void oneLockTwiceIsRefused()
    {
        FakeParty party(1);
        ReadWriteLock lock(party[0], m_a);
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, MultiLock({&lock.reader(), &lock.writer()}));
    }
};

QTEST_GUILESS_MAIN(MultiLockTest)
#include "multi_lock_test.moc"
