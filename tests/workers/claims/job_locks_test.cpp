#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/cluster/limits.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/outer_owners.h"
#include "workers/claims/lock_contention.h"
#include "workers/working.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const QString Db = QStringLiteral("db");

JobSpec locking(const QStringList &locks, const QStringList &shared = {}, const QStringList &limits = {})
{
    JobSpec spec = JobCluster::spec();
    spec.locks = locks;
    spec.sharedLocks = shared;
    spec.limits = limits;
    return spec;
}

int mostAtOnce(const std::vector<const Working *> &workers)
{
    std::vector<Execution> all;
    for (const Working *worker : workers)
        all.insert(all.end(), worker->witness().begin(), worker->witness().end());
    std::ptrdiff_t most = 0;
    for (const Execution &at : all)
        most = std::max(most, std::count_if(all.begin(), all.end(), [&](const Execution &other) {
                            return other.from <= at.from && other.until > at.from;
                        }));
    return static_cast<int>(most);
}

// A job that one worker has claimed, and that waits there for a lock that another client holds.
struct BehindALock {
    BehindALock() { fake.settle(1s); }

    WorkerCluster fake{2};
    recipes::Mutex mutex{fake[0], fake.layout.lock("db")};
    std::optional<recipes::Lock> held = fake.run(mutex.acquire());
    Working working{fake, 1};
    JobId id = fake.submit(locking({Db}));
};

} // namespace

// What jobs hold while they run: locks and permits.
class JobLocksTest : public QObject
{
    Q_OBJECT

    static QString waits(const WorkerCluster &fake, const JobId &id)
    {
        return Claim::decode(fake.node(fake.layout.claim(id)).data).waits;
    }

private Q_SLOTS:
    void holdersOfALockNeverMeet()
    {
        WorkerCluster fake(3);
        for (int i = 0; i < 10; ++i)
            fake.submit(locking({Db}));
        const Working first(fake, 1, 3);
        const Working second(fake, 2, 3);
        fake.settle(20min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 10);
        QCOMPARE(mostAtOnce({&first, &second}), 1);
        QVERIFY(fake.childrenOf(fake.layout.lock("db")).isEmpty());
    }

    void sharedLocksAreHeldTogether()
    {
        WorkerCluster fake(2);
        for (int i = 0; i < 3; ++i)
            fake.submit(locking({}, {Db}));
        const JobId alone = fake.submit(locking({Db}));
        const Working working(fake, 1, Working::options(8), 1h);
        fake.settle(1s);
        QCOMPARE(working.begun(), 3u);
        QVERIFY(!working.began(alone));
        fake.settle(4h);
        QVERIFY(working.began(alone));
        for (const Execution &execution : working.witness())
            QVERIFY(execution.job == alone.bytes() || execution.until <= working.witness().back().from);
    }

    // Whose lock is taken from outside, as by `drover lock`.
    void aWaitingJobKeepsItsSlotFree()
    {
        WorkerCluster fake(2);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        std::optional<recipes::Lock> held = fake.run(mutex.acquire());
        const Working working(fake, 1);
        const JobId waiting = fake.submit(locking({Db}));
        const JobId plain = fake.submit();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(plain).state(), JobState::Succeeded);
        QVERIFY(!working.began(waiting));
        QVERIFY(fake.isClaimedBy(waiting, 1));
        QCOMPARE(waits(fake, waiting), QStringLiteral("lock db"));
        const auto names = fake.childrenOf(fake.layout.lock("db"));
        QCOMPARE(names.size(), 2);
        QVERIFY(std::any_of(names.begin(), names.end(), [&](const QByteArray &name) {
            return fake.node(fake.layout.lock("db") / name).data == waiting.bytes();
        }));
        held.reset();
        fake.settle(100ms);
        QVERIFY(working.began(waiting));
        QVERIFY(waits(fake, waiting).isEmpty());
        fake.settle(2min);
        QCOMPARE(fake.recordOf(waiting).attempts.claimVersion, 1);
    }

    void aJobKnowsItsFences()
    {
        WorkerCluster fake(2);
        recipes::Mutex mutex(fake[0], fake.layout.lock("a.b"));
        const recipes::Lock before = fake.run(mutex.acquire());
        const qint64 earlier = before.fence().czxid;
        fake.submit(locking({QStringLiteral("a.b")}, {QStringLiteral("a.b"), Db}, {QStringLiteral("api")}));
        const Working working(fake, 1);
        fake.settle(1s);
        QCOMPARE(working.begun(), 0u);
        const_cast<recipes::Lock &>(before).release();
        fake.settle(100ms);
        QCOMPARE(working.begun(), 1u);
        QByteArrayList fences;
        for (const QByteArray &variable : working.witness()[0].environment) {
            if (variable.startsWith("DROVER_LOCK_FENCE_"))
                fences.append(variable);
        }
        QCOMPARE(fences.size(), 2);
        QVERIFY2(fences[0].startsWith("DROVER_LOCK_FENCE_A_B="), fences[0]);
        QVERIFY(fences[0].split('=')[1].toLongLong() > earlier);
        QVERIFY2(fences[1].startsWith("DROVER_LOCK_FENCE_DB="), fences[1]);
    }

    // A drover in the job says by it whose locks it runs under.
    void aJobPassesOnWhoHoldsItsLocks()
    {
        WorkerCluster fake(2);
        const JobId plain = fake.submit();
        const JobId locks = fake.submit(locking({Db}));
        const JobId permit = fake.submit(locking({}, {}, {QStringLiteral("api")}));
        const Working working(fake, 1, 3);
        fake.settle(1s);
        QCOMPARE(working.begun(), 3u);
        for (const Execution &execution : working.witness()) {
            const recipes::OuterOwner owner{fake[1].sessionId(), execution.job};
            const QByteArray variable = "DROVER_LOCK_OWNER=" + recipes::encodeOwners({owner});
            QVERIFY(QList<QByteArray>({plain.bytes(), locks.bytes(), permit.bytes()}).contains(execution.job));
            QCOMPARE(execution.environment.contains(variable), execution.job != plain.bytes());
        }
    }

    // Named in different orders, by two workers.
    void jobsWithSeveralLocksDoNotDeadlock()
    {
        WorkerCluster fake(3);
        const QString a = QStringLiteral("a");
        const QString b = QStringLiteral("b");
        for (int i = 0; i < 6; ++i)
            fake.submit(i % 2 ? locking({a, b}, {}, {b}) : locking({b, a}, {}, {b, a}));
        const Working first(fake, 1, 2);
        const Working second(fake, 2, 2);
        fake.settle(20min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 6);
        QCOMPARE(mostAtOnce({&first, &second}), 1);
    }

    void theLockIsReleasedOnceTheEndIsReported()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit(locking({Db}));
        QList<QByteArray> order;
        fake.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            if (fake.exists(fake.layout.done(id)) && !order.contains("done"))
                order.append("done");
            const auto *remove = commit.call ? std::get_if<zk::RemoveRequest>(&commit.call->request) : nullptr;
            if (remove && remove->path.parent() == fake.layout.lock("db"))
                order.append("released");
        });
        const Working working(fake, 1);
        fake.settle(2min);
        QCOMPARE(order, (QList<QByteArray>{"done", "released"}));
    }

    void aLimitLetsSoManyRun()
    {
        WorkerCluster fake(3);
        const QString api = QStringLiteral("api");
        const Working first(fake, 1, 4);
        const Working second(fake, 2, 4);
        for (int i = 0; i < 4; ++i)
            fake.submit(locking({}, {}, {api}));
        fake.settle(10min);
        QCOMPARE(mostAtOnce({&first, &second}), 1); // the default of a limit that was never set
        fake.run(setLimit(Cluster(fake[0], fake.layout), "api", 3));
        for (int i = 0; i < 8; ++i)
            fake.submit(locking({}, {}, {api}));
        fake.settle(10min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 12);
        QCOMPARE(mostAtOnce({&first, &second}), 3);
        const std::vector<Limit> limits = fake.run(listLimits(Cluster(fake[0], fake.layout)));
        QCOMPARE(limits.size(), 1u);
        QCOMPARE(limits[0].permits, 3);
        QCOMPARE(limits[0].held, 0);
    }

    void aWaitingJobCanBeCancelled()
    {
        BehindALock it;
        auto &[fake, mutex, held, working, id] = it;
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::Asked);
        fake.settle(100ms);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(working.begun(), 0u);
        QCOMPARE(fake.childrenOf(fake.layout.lock("db")).size(), 1);
    }

    void aJobDeletedByHandWaitsNoLonger()
    {
        BehindALock it;
        auto &[fake, mutex, held, working, id] = it;
        QVERIFY(fake.isClaimedBy(id, 1));
        fake.commit(zk::Transaction().remove(fake.pathOf(id)));
        fake.settle(1s);
        QCOMPARE(fake.childrenOf(fake.layout.claims()), QByteArrayList());
        QCOMPARE(fake.childrenOf(fake.layout.lock("db")).size(), 1);
        QCOMPARE(working.begun(), 0u);
    }

    void aWaitingJobCanBeRequeued()
    {
        BehindALock it;
        auto &[fake, mutex, held, working, id] = it;
        const qint64 first = fake.node(fake.layout.claim(id)).stat.czxid;
        fake.run(requeue(Cluster(fake[0], fake.layout), id));
        fake.settle(10s);
        QVERIFY(fake.node(fake.layout.claim(id)).stat.czxid > first); // claimed again, by the only one
        QCOMPARE(fake.childrenOf(fake.layout.lock("db")).size(), 2);
        QCOMPARE(working.begun(), 0u);
    }

    void aWaitingJobCanBeHeldAndReleased()
    {
        BehindALock it;
        auto &[fake, mutex, taken, working, id] = it;
        QVERIFY(fake.isClaimedBy(id, 1));
        fake.run(hold(Cluster(fake[0], fake.layout), id, QStringLiteral("me@here")));
        fake.settle(1s);
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
        QCOMPARE(fake.childrenOf(fake.layout.lock("db")).size(), 1);
        taken.reset();
        fake.settle(1min);
        QCOMPARE(working.begun(), 0u);
        fake.run(release(Cluster(fake[0], fake.layout), id));
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(working.begun(), 1u);
    }

    // A worker claims only so many that would wait for one lock; what is behind them in the queue runs.
    void manyWaitingJobsStopNoOtherJob()
    {
        WorkerCluster fake(2);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        std::optional<recipes::Lock> held = fake.run(mutex.acquire());
        for (int i = 0; i < 60; ++i)
            fake.submit(locking({Db}));
        const Working working(fake, 1, 2);
        fake.settle(10s);
        QCOMPARE(fake.childrenOf(fake.layout.claims()).size(), workers::LockContention::MaxPerLock);
        const quint64 before = fake[1].counters().requests;
        fake.settle(10s);
        QVERIFY(fake[1].counters().requests - before < 200); // their specs are not read again and again
        const JobId plain = fake.submit();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(plain).state(), JobState::Succeeded);
        held.reset();
        fake.settle(60min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 61);
    }

    // Found by a reviewer: sixteen that waited for one lock kept all others from being claimed that need more than a
    // slot.
    void aJobThatWaitsForALockTakesNoCapacity()
    {
        constexpr qint64 MiB = qint64(1) << 20;
        WorkerCluster fake(2);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        const recipes::Lock held = fake.run(mutex.acquire());
        for (int i = 0; i < 60; ++i)
            fake.submit(locking({Db}));
        JobSpec large = JobCluster::spec();
        large.needs.memory = 10 * MiB;
        JobSpec wide = JobCluster::spec();
        wide.needs.slots = 2;
        const std::vector<JobId> others{fake.submit(large), fake.submit(wide),
                                        fake.submit(locking({QStringLiteral("other")})),
                                        fake.submit(locking({}, {}, {QStringLiteral("api")}))};
        const Working working(fake, 1, Working::options(2, {}, 100 * MiB));
        fake.settle(10min);
        for (const JobId &id : others)
            QVERIFY2(working.began(id), id.bytes());
        QCOMPARE(working.begun(), others.size());
    }

    void jobsGetALockInTheOrderOfTheQueue()
    {
        WorkerCluster fake(2);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        std::optional<recipes::Lock> held = fake.run(mutex.acquire());
        QByteArrayList submitted;
        for (int i = 0; i < 12; ++i)
            submitted.append(fake.submit(locking({Db})).bytes());
        const Working working(fake, 1, 2);
        fake.settle(10s);
        held.reset();
        fake.settle(20min);
        QByteArrayList begun;
        for (const Execution &execution : working.witness())
            begun.append(execution.job);
        QCOMPARE(begun, submitted);
    }

    void twoWorkersTakeTurnsAtALock()
    {
        constexpr int Jobs = 20;
        WorkerCluster fake(3);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        std::optional<recipes::Lock> held = fake.run(mutex.acquire());
        for (int i = 0; i < Jobs; ++i)
            fake.submit(locking({Db}));
        const Working first(fake, 1, 2);
        const Working second(fake, 2, 2);
        fake.settle(10s);
        QCOMPARE(fake.childrenOf(fake.layout.claims()).size(), 2 * workers::LockContention::MaxPerLock);
        held.reset();
        fake.settle(30min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), Jobs);
        QCOMPARE(mostAtOnce({&first, &second}), 1);
        QVERIFY(first.begun() >= Jobs / 4 && second.begun() >= Jobs / 4);
    }

    void aJobThatWaitedAtALostWorkerHasLostNoAttempt()
    {
        WorkerCluster fake(3);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        std::optional<recipes::Lock> held = fake.run(mutex.acquire());
        JobSpec spec = locking({Db});
        spec.maxAttempts = 1;
        const JobId id = fake.submit(spec);
        const Working first(fake, 1);
        fake.settle(1s);
        QVERIFY(fake.isClaimedBy(id, 1));
        const Working second(fake, 2);
        fake.server.expire(fake[1].sessionId());
        fake.settle(5s);
        QVERIFY(fake.isClaimedBy(id, 2));
        held.reset();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(second.begun(), 1u);
    }

    void aStoppedWorkerGivesBackItsWaitingJobs()
    {
        WorkerCluster fake(2);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        const recipes::Lock held = fake.run(mutex.acquire());
        Working working(fake, 1);
        fake.submit(locking({Db}));
        fake.settle(1s);
        working.worker.stop();
        fake.settle(1s);
        QVERIFY(working.ended());
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
        QCOMPARE(fake.childrenOf(fake.layout.lock("db")).size(), 1);
        QCOMPARE(fake.ready().size(), 1u);
    }

    void anInvalidLockNameMakesTheJobMalformed()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit(locking({QStringLiteral("../queues")}));
        const Working working(fake, 1);
        fake.settle(1s);
        QCOMPARE(fake.recordOf(id).outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(fake.recordOf(id).reason.contains(u"../queues"));
    }

    // Another program has written something else where the number of permits should be.
    void aLimitThatIsNoNumberIsWaitedFor()
    {
        WorkerCluster fake(2);
        fake.run(setLimit(Cluster(fake[0], fake.layout), "api", 1));
        fake.write(fake.layout.permits("api"), "a few");
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("limit api.*no number of permits")));
        const Working working(fake, 1);
        const JobId id = fake.submit(locking({}, {}, {QStringLiteral("api")}));
        fake.settle(1s);
        QCOMPARE(waits(fake, id), QStringLiteral("limit api"));
        fake.run(setLimit(Cluster(fake[0], fake.layout), "api", 1));
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }
};

QTEST_GUILESS_MAIN(JobLocksTest)
#include "job_locks_test.moc"
