#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/client/reposition.h"
#include "jobs/model/cluster_stats.h"
#include "workers/candidate.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

JobId submitNamed(WorkerCluster &fake, const char *name, bool singleton)
{
    JobSpec spec = JobCluster::spec();
    spec.name = QLatin1String(name);
    spec.singleton = singleton;
    return fake.submit(spec);
}

// What `drover doctor` shows of the master.
QString troublesIn(const JobCluster &fake)
{
    QStringList texts;
    for (const ClusterStats::Trouble &trouble : ClusterStats::decode(fake.node(fake.layout.stats()).data).troubles)
        texts.append(trouble.subject + QStringLiteral(": ") + trouble.error);
    return texts.join(u'\n');
}

} // namespace

// Jobs that wait for all earlier ones of their name.
class SingletonTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSingletonWaitsForAllBeforeItOfItsName()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = submitNamed(fake, "nightly", false);
        const JobId other = submitNamed(fake, "other", true);
        const JobId second = submitNamed(fake, "nightly", false);
        const JobId third = submitNamed(fake, "nightly", true);
        const JobId fourth = submitNamed(fake, "nightly", true);
        const JobId later = submitNamed(fake, "nightly", false);
        fake.settle(1s);
        QCOMPARE(fake.stateOf(other), JobState::Ready);
        QCOMPARE(fake.stateOf(later), JobState::Ready);
        fake.end(second, 1);
        QCOMPARE(fake.stateOf(third), JobState::Waiting);
        fake.end(first, 0);
        QCOMPARE(fake.stateOf(third), JobState::Ready);
        QVERIFY(!JobSpec::decode(fake.node(fake.pathOf(third)).data, "default", 5).waits());
        fake.settle(1s);
        QCOMPARE(fake.stateOf(fourth), JobState::Waiting);
        fake.end(third, 0);
        QCOMPARE(fake.stateOf(fourth), JobState::Ready);
    }

    void retriedAndHeldJobsAndArraysHaveNotEnded()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec array = JobCluster::spec();
        array.name = QStringLiteral("nightly");
        array.array = ArrayIndices{1, 2, 1, 0};
        const JobId tasks = fake.submit(array);
        const JobId retried = submitNamed(fake, "nightly", false);
        const JobId held = submitNamed(fake, "nightly", false);
        const JobId singleton = submitNamed(fake, "nightly", true);
        fake.run(hold(Cluster(fake[0], fake.layout), held, QStringLiteral("me@here")));
        fake.settle(1s);

        workers::ClaimedJob claimed;
        for (const workers::ClaimedJob &job : fake.claimReady(0).jobs)
            claimed = job.id == retried ? job : claimed;
        QCOMPARE(claimed.id, retried);
        QueueEntry later = claimed.entry;
        later.jobClass = QueueEntry::Class::Waiting;
        zk::Transaction retry;
        reposition(retry, fake.layout, "default", claimed.entry, later, 1,
                   noted(claimed.stored, [&](JobNotes &notes) { notes.countFailed(1, fake.world.wallClock() + 3s); }))
            .remove(fake.layout.claim(retried));
        fake.commit(retry);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(retried), JobState::Ready);
        QCOMPARE(fake.stateOf(singleton), JobState::Waiting);

        fake.end(retried, 0);
        QCOMPARE(fake.stateOf(singleton), JobState::Waiting);
        fake.run(cancel(Cluster(fake[0], fake.layout), held));
        fake.settle(1s);
        QCOMPARE(fake.stateOf(singleton), JobState::Waiting);
        for (const qint32 index : {1, 2}) {
            const JobId task{"default", tasks.number, index};
            fake.commit(zk::Transaction()
                            .remove(fake.layout.job("default", {QueueEntry::Class::Ready, 5, task.number, index}))
                            .create(fake.layout.done(task), FinalRecord::of(task, array).encode())
                            .remove(fake.layout.claim(task)));
        }
        fake.settle(3s);
        QCOMPARE(fake.stateOf(tasks), JobState::Succeeded);
        QCOMPARE(fake.stateOf(singleton), JobState::Ready);
    }

    void aCancelledSingletonLetsTheNextWaitForTheOthers()
    {
        WorkerCluster fake(2);
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), {"default", "other"}));
        const JobId first = submitNamed(fake, "nightly", false);
        const JobId second = submitNamed(fake, "nightly", true);
        const JobId third = submitNamed(fake, "nightly", true);
        const JobId fourth = submitNamed(fake, "nightly", true);
        const Leading master(fake, 1); // finds them all at once
        fake.settle(1s);
        fake.run(cancel(Cluster(fake[0], fake.layout), third));
        fake.settle(1s);
        QCOMPARE(fake.stateOf(fourth), JobState::Waiting);
        fake.run(cancel(Cluster(fake[0], fake.layout), second));
        fake.settle(1s);
        QCOMPARE(fake.stateOf(fourth), JobState::Waiting);
        fake.run(moveToQueue(Cluster(fake[0], fake.layout), first, "other", {}));
        fake.settle(1s);
        QCOMPARE(fake.stateOf(fourth), JobState::Ready);
    }

    void aSingletonThatWasMovedPassesOverWhatWaitsForIt()
    {
        for (const bool leadsBefore : {true, false}) {
            WorkerCluster fake(2);
            fake.run(ensureCluster(Cluster(fake[0], fake.layout), {"default", "other"}));
            std::optional<Leading> master;
            if (leadsBefore)
                master.emplace(fake, 1);
            JobSpec spec = JobCluster::spec();
            spec.name = QStringLiteral("nightly");
            spec.singleton = true;
            spec.queue = "default";
            submitNamed(fake, "nightly", false); // never ends, so that the next job goes on waiting
            const JobId moved = fake.submit(spec);
            fake.settle(1s);
            fake.run(hold(Cluster(fake[0], fake.layout), moved, QStringLiteral("me@here")));
            spec.queue = "other";
            spec.after = {Dependency{Dependency::Kind::Any, moved}};
            const JobId waits = fake.submit(spec);
            fake.settle(1s);
            const JobId now = fake.run(moveToQueue(Cluster(fake[0], fake.layout), moved, "other", {})).id;
            fake.run(release(Cluster(fake[0], fake.layout), now));
            if (!leadsBefore)
                master.emplace(fake, 1);
            fake.settle(1s);
            QCOMPARE(fake.stateOf(now), JobState::Ready);
            QCOMPARE(fake.stateOf(waits), JobState::Waiting);
            fake.end(now, 0);
            fake.settle(1s);
            QCOMPARE(fake.stateOf(waits), JobState::Ready);
        }
    }

    // What another singleton waits for has it judged again, when it is in the transaction already.
    void aSingletonThatWasMovedIsSettledOnce()
    {
        int settled = 0;
        int twice = 0;
        const auto look = [&](zk::Request &request) {
            const auto *const multi = std::get_if<zk::MultiRequest>(&request);
            std::map<QByteArray, int> made;
            for (const zk::Transaction::Operation &operation :
                 multi ? multi->transaction.operations() : std::vector<zk::Transaction::Operation>()) {
                if (const auto *const create = std::get_if<zk::Transaction::Create>(&operation))
                    ++made[create->path.bytes()];
            }
            for (const auto &[path, times] : made) {
                settled += path.contains("/queues/other/") ? 1 : 0;
                twice += times > 1 ? 1 : 0;
            }
        };
        WorkerCluster fake(2, {.sabotage = look});
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), {"default", "other"}));
        JobSpec spec = JobCluster::spec();
        spec.queue = "other";
        spec.name = QStringLiteral("weekly");
        fake.submit(spec); // never ends
        for (int i = 0; i < 300; ++i) // so that the master knows of the move before it has read all names
            fake.submit(spec);
        submitNamed(fake, "nightly", false);
        const JobId moved = submitNamed(fake, "nightly", true);
        fake.run(hold(Cluster(fake[0], fake.layout), moved, QStringLiteral("me@here")));
        spec.after = {Dependency{Dependency::Kind::Any, moved}};
        const JobId waits = fake.submit(spec);
        const JobId now = fake.run(moveToQueue(Cluster(fake[0], fake.layout), moved, "other", {})).id;
        fake.run(release(Cluster(fake[0], fake.layout), now));
        spec.after.clear();
        spec.singleton = true;
        const JobId behind = fake.submit(spec);
        const Leading master(fake, 1);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(now), JobState::Ready);
        QCOMPARE(fake.stateOf(behind), JobState::Waiting);
        QCOMPARE(fake.stateOf(waits), JobState::Waiting);
        QVERIFY(settled > 0);
        QCOMPARE(twice, 0);
    }

    // In its old queue it had waited already, and no worker had claimed it.
    void aSingletonThatWasReadyWaitsInAnotherQueue()
    {
        WorkerCluster fake(2);
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), {"default", "other"}));
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.name = QStringLiteral("nightly");
        spec.queue = "other";
        const JobId before = fake.submit(spec);
        spec.queue = "default";
        const JobId named = fake.submit(spec);
        spec.singleton = true;
        spec.after = {Dependency{Dependency::Kind::Ok, named}};
        const JobId moved = fake.submit(spec);
        fake.settle(1s);
        fake.end(named, 0);
        fake.settle(1s);
        QCOMPARE(fake.stateOf(moved), JobState::Ready);
        fake.commit(zk::Transaction().remove(fake.layout.done(named))); // how it ended is not known any more
        const JobId now = fake.run(moveToQueue(Cluster(fake[0], fake.layout), moved, "other", {})).id;
        fake.settle(1s);
        QCOMPARE(fake.stateOf(now), JobState::Waiting);
        fake.end(before, 0);
        fake.settle(1s);
        QCOMPARE(fake.stateOf(now), JobState::Ready);
    }

    // The number comes first, and the job with the move. A client that has stopped in between loses its session.
    void aSingletonWaitsForAJobThatIsOnItsWay_data()
    {
        QTest::addColumn<bool>("arrives");
        QTest::newRow("it arrives") << true;
        QTest::newRow("its client is gone") << false;
    }
    void aSingletonWaitsForAJobThatIsOnItsWay()
    {
        QFETCH(bool, arrives);
        WorkerCluster fake(3);
        const Leading master(fake, 1);
        const zk::Path prefix = fake.layout.queue("default") / "m_0-";
        const zk::Answer<zk::Created> reserved =
            fake.get(fake[2].create(prefix, {}, zk::CreateMode::EphemeralSequential));
        const JobId singleton = submitNamed(fake, "nightly", true);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(singleton), JobState::Waiting);
        const JobId moved{"default", zk::sequenceOf(reserved->path.name()).value()};
        JobSpec spec = JobCluster::spec();
        spec.name = QStringLiteral("nightly");
        if (arrives)
            fake.commit(zk::Transaction().remove(reserved->path).create(fake.pathOf(moved), spec.encode()));
        else
            fake.server.expire(fake[2].sessionId());
        fake.settle(10s);
        QCOMPARE(fake.stateOf(singleton), arrives ? JobState::Waiting : JobState::Ready);
        if (arrives)
            fake.end(moved, 0);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(singleton), JobState::Ready);
    }

    // A reservation goes with a session. What stays is no reservation, also if the master may not read it.
    void aNodeThatStaysReservesNothing()
    {
        for (const bool isReadable : {true, false}) {
            WorkerCluster fake(3);
            const Leading master(fake, 1);
            const zk::Path prefix = fake.layout.queue("default") / "m_0-";
            const zk::Answer<zk::Created> left =
                fake.get(fake[2].create(prefix, {}, zk::CreateMode::PersistentSequential));
            fake.setReadable(left->path, isReadable);
            const JobId singleton = submitNamed(fake, "nightly", true);
            fake.settle(10s);
            QCOMPARE(fake.stateOf(singleton), JobState::Ready);
        }
    }

    // A client that has stopped, or one that means harm: it is named.
    void aReservationThatStaysIsATrouble()
    {
        WorkerCluster fake(3);
        const Leading master(fake, 1);
        const zk::Path prefix = fake.layout.queue("default") / "m_0-";
        const zk::Answer<zk::Created> reserved =
            fake.get(fake[2].create(prefix, {}, zk::CreateMode::EphemeralSequential));
        fake.setReadable(reserved->path, false);
        const JobId singleton = submitNamed(fake, "nightly", true);
        fake.settle(3s);
        QCOMPARE(troublesIn(fake), QString());
        fake.settle(27s);
        QCOMPARE(fake.stateOf(singleton), JobState::Waiting);
        const QString trouble = QStringLiteral("singletons of queue default: ") + reserved->path.toString();
        QVERIFY2(troublesIn(fake).startsWith(trouble), qPrintable(troublesIn(fake)));
        fake.server.expire(fake[2].sessionId());
        fake.settle(10s);
        QCOMPARE(fake.stateOf(singleton), JobState::Ready);
        QCOMPARE(troublesIn(fake), QString());
    }

    // Who submits a job chooses who may read its node, and what cannot be read may have any name.
    void aSingletonWaitsForAJobThatMayNotBeRead_data()
    {
        QTest::addColumn<bool>("isShown");
        QTest::newRow("it can be read again") << true;
        QTest::newRow("it ends") << false;
    }
    void aSingletonWaitsForAJobThatMayNotBeRead()
    {
        QFETCH(bool, isShown);
        WorkerCluster fake(2);
        const JobId before = submitNamed(fake, "weekly", true);
        const JobId hidden = submitNamed(fake, "nightly", false);
        fake.setReadable(fake.pathOf(hidden), false);
        const JobId after = submitNamed(fake, "nightly", true);
        const Leading master(fake, 1);
        fake.settle(1min);
        QCOMPARE(fake.stateOf(before), JobState::Ready);
        QCOMPARE(fake.stateOf(after), JobState::Waiting);
        const QString trouble = QStringLiteral("singletons of queue default: job %1 may not be read");
        QVERIFY2(troublesIn(fake).startsWith(trouble.arg(hidden.toString())), qPrintable(troublesIn(fake)));
        fake.end(before, 0);
        if (isShown)
            fake.setReadable(fake.pathOf(hidden), true);
        else
            fake.end(hidden, 0);
        fake.settle(10s);
        QCOMPARE(troublesIn(fake), QString());
        QCOMPARE(fake.stateOf(after), isShown ? JobState::Waiting : JobState::Ready);
        if (isShown)
            fake.end(hidden, 0);
        QCOMPARE(fake.stateOf(after), JobState::Ready);
    }

    void aRowOfSingletonsIsAChain()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = submitNamed(fake, "nightly", false);
        std::vector<JobId> chain;
        for (int i = 0; i < 20; ++i)
            chain.push_back(submitNamed(fake, "nightly", true));
        fake.settle(5s);
        const quint64 before = fake[1].counters().requests;
        fake.settle(60s);
        const quint64 idle = fake[1].counters().requests - before;
        QVERIFY2(idle <= 60 * 8, qPrintable(QString::number(idle))); // its statistics alone
        fake.end(first, 0);
        for (std::size_t i = 0; i < chain.size(); ++i) {
            QCOMPARE(fake.stateOf(chain[i]), JobState::Ready);
            if (i + 1 < chain.size())
                QCOMPARE(fake.stateOf(chain[i + 1]), JobState::Waiting);
            fake.end(chain[i], 0);
        }
    }
};

QTEST_GUILESS_MAIN(SingletonTest)
#include "singleton_test.moc"
