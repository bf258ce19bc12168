#include "workers/dispatch/session_load.h"
#include "workers/working.h"
#include "zk/chroot.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using workers::SessionLoad;

// What a session's end makes the servers write: the paths of all its ephemeral nodes, in one transaction.
class SessionLoadTest : public QObject
{
    Q_OBJECT

    // What a session holds in the locks and claims, each path with its length and below the longest chroot.
    static qsizetype heldBy(WorkerCluster &fake, int who, const std::vector<JobId> &jobs)
    {
        qsizetype bytes = 0;
        const auto count = [&](const zk::Path &path) {
            const FakeTree::Znode *const node = fake.server.tree().find(path);
            if (node && node->stat.ephemeralOwner == fake[who].sessionId())
                bytes += 4 + zk::Chroot::MaxBytes + path.bytes().size();
        };
        for (const JobId &id : jobs)
            count(fake.layout.claim(id));
        if (!fake.exists(fake.layout.locks()))
            return bytes;
        for (const QByteArray &lock : fake.childrenOf(fake.layout.locks())) {
            for (const QByteArray &place : fake.childrenOf(fake.layout.lock(lock)))
                count(fake.layout.lock(lock) / place);
        }
        return bytes;
    }

    static int claimedBy(WorkerCluster &fake, int who, const std::vector<JobId> &jobs)
    {
        return int(std::count_if(jobs.begin(), jobs.end(), [&](const JobId &id) { return fake.isClaimedBy(id, who); }));
    }

    // 30 locks of its own, with names as long as they may be.
    static JobSpec heavy(int number)
    {
        JobSpec spec = JobCluster::spec();
        for (int i = 0; i < 30; ++i)
            spec.locks.append(QStringLiteral("%1-%2-").arg(number).arg(i).leftJustified(64, u'x'));
        return spec;
    }

private Q_SLOTS:
    void aWorkerClaimsNoMoreThanItsSessionMayHold()
    {
        constexpr int Count = 250;
        WorkerCluster fake(3);
        std::vector<JobId> jobs;
        for (int i = 0; i < Count; ++i)
            jobs.push_back(fake.submit(heavy(i)));
        Working first(fake, 1, Working::options(1000), 1h);
        fake.settle(30s);
        const int held = claimedBy(fake, 1, jobs);
        QCOMPARE_LT(held, Count);
        QCOMPARE_GT(heldBy(fake, 1, jobs), SessionLoad::Full / 2);
        QCOMPARE_LT(heldBy(fake, 1, jobs), SessionLoad::Most);

        const Working second(fake, 2, Working::options(1000), 1h); // has room for the others
        fake.settle(30s);
        QCOMPARE_GE(claimedBy(fake, 1, jobs) + claimedBy(fake, 2, jobs)
                        + int(fake.childrenOf(fake.layout.done()).size()),
                    Count);
        QCOMPARE_LT(heldBy(fake, 1, jobs), SessionLoad::Most);
        QCOMPARE_LT(heldBy(fake, 2, jobs), SessionLoad::Most);
    }

    // One that is full goes on when jobs have ended.
    void allRunInTheEnd()
    {
        constexpr int Count = 250;
        WorkerCluster fake(2);
        std::vector<JobId> jobs;
        for (int i = 0; i < Count; ++i)
            jobs.push_back(fake.submit(heavy(i)));
        const Working only(fake, 1, Working::options(1000), 20s);
        fake.settle(3min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), Count);
    }

    void theCountedSizeOfAJobCoversItsZnodes()
    {
        WorkerCluster fake(2);
        JobSpec spec = heavy(1);
        const JobId id = fake.submit(spec);
        const Working worker(fake, 1, Working::options(1), 1h);
        fake.settle(10s);
        const qsizetype counted = SessionLoad::of(fake.layout, id, spec, false);
        const qsizetype taken = heldBy(fake, 1, {id});
        QCOMPARE_GE(counted, taken);
        QCOMPARE_LT(counted, taken * 3 / 2);
    }

    void theListenerIsCalledWhenThereIsRoom()
    {
        int told = 0;
        std::shared_ptr<const void> late;
        {
            SessionLoad load([&] { ++told; });
            std::shared_ptr<const void> much = load.add(SessionLoad::Full);
            QVERIFY(!load.isFull());
            const std::shared_ptr<const void> more = load.add(1);
            QVERIFY(load.isFull());
            much.reset();
            QVERIFY(!load.isFull());
            QCOMPARE(told, 1);
            late = load.add(SessionLoad::Full + 1);
        }
        told = 0;
        late.reset();
        QCOMPARE(told, 0); // the listener is gone
    }
};

QTEST_GUILESS_MAIN(SessionLoadTest)
#include "session_load_test.moc"
