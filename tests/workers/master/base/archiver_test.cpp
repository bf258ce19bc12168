#include "support/sanitized.h"
#include "workers/master/base/archiving_cluster.h"

#include <QDir>
#include <QTest>

#include <numeric>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using jobs::JobId;

namespace {

constexpr int Jobs = 30;
constexpr quint64 Stride = Sanitized ? 3 : 1; // from one moment of a fault to the next

} // namespace

// What the master does with finished jobs, on the in-memory ZooKeeper and a real SQLite file.
class ArchiverTest : public QObject
{
    Q_OBJECT

    static QList<int> numbersOf(const history::Page &page)
    {
        QList<int> numbers;
        for (const history::ArchivedJob &entry : page.entries)
            numbers.append(entry.record.id.number);
        std::sort(numbers.begin(), numbers.end());
        return numbers;
    }

    static QList<int> upTo(int count)
    {
        QList<int> numbers(count);
        std::iota(numbers.begin(), numbers.end(), 1);
        return numbers;
    }

private Q_SLOTS:
    void recordsAreArchivedSoonAndDeletedLater()
    {
        ArchivingCluster fake;
        fake.finish(1);
        fake.lead(1);
        fake.settle(3s);
        QCOMPARE(fake.archived(), 1);
        fake.finish(2);
        fake.settle(1s);
        QCOMPARE(fake.archived(), 2); // it watches
        QCOMPARE(fake.left(), 2); // who waits for the jobs finds them
        QCOMPARE(fake.stats().archive->backlog.value_or(-1), 0);
        fake.settle(workers::Archiver::Linger + 5s);
        QCOMPARE(fake.left(), 0);
        const history::Page page = fake.page();
        QCOMPARE(numbersOf(page), upTo(2));
        QCOMPARE(page.entries[0].cluster, QByteArray("test"));
        QCOMPARE(page.entries[0].record.key, QStringLiteral("key-2"));
        QVERIFY(page.entries[0].endedAt > page.entries[1].endedAt);
        QCOMPARE(fake.violations, QStringList());
    }

    void recordsWithoutAClientsKeyGoAtOnce()
    {
        ArchivingCluster fake;
        fake.lead(1);
        fake.finish(1, FinalRecord::of({"default", 1}, JobCluster::spec()).encode());
        fake.finish(2);
        fake.settle(10s);
        QCOMPARE(fake.left(), 1);
        QCOMPARE(fake.archived(), 2);
    }

    void aDeposedMasterDeletesNothing()
    {
        ArchivingCluster fake;
        const zk::Path masterNode = fake.layout.master() / "other";
        fake.write(masterNode, "w1");
        fake.finish(1);
        history::History own(fake[1].loop(), fake.place(), history::OpenMode::Write);
        workers::MasterHistory writer(jobs::Cluster(fake[1], fake.layout), own);
        workers::Troubles troubles(fake[1].loop());
        workers::Archiver archiver(jobs::Cluster(fake[1], fake.layout), writer, troubles);
        QVERIFY(!archiver.state(1).backlog); // an earlier master may have archived it
        async::TaskGroup archiving;
        archiving.spawn(archiver.run({masterNode, 0, 0}));
        fake.settle(5s);
        QCOMPARE(fake.archived(), 1);
        QCOMPARE(archiver.state(1).backlog.value_or(-1), 0);
        fake.commit(zk::Transaction().remove(masterNode));
        fake.settle(30s);
        QVERIFY(!archiving.empty()); // it has not noticed
        fake.settle(workers::Archiver::Linger);
        QVERIFY(archiving.empty());
        QCOMPARE(fake.left(), 1);
        QVERIFY(!archiver.failing());
    }

    // It was stopped while it archived; meanwhile another was elected, and has archived.
    void aZombiesLateCommitIsRefused()
    {
        ArchivingCluster fake(2, {}, true);
        const zk::Path before = fake.layout.master() / "before";
        const zk::Path after = fake.layout.master() / "after";
        fake.write(before, "w1");
        fake.write(after, "w2");
        history::History firstsOwn(fake[1].loop(), fake.place(), history::OpenMode::Write);
        history::History secondsOwn(fake[2].loop(), fake.place(), history::OpenMode::Write);
        workers::MasterHistory firstWriter(jobs::Cluster(fake[1], fake.layout), firstsOwn);
        workers::MasterHistory secondWriter(jobs::Cluster(fake[2], fake.layout), secondsOwn);
        workers::Troubles troubles(fake[1].loop());
        workers::Archiver first(jobs::Cluster(fake[1], fake.layout), firstWriter, troubles);
        workers::Archiver second(jobs::Cluster(fake[2], fake.layout), secondWriter, troubles);
        async::TaskGroup archiving;
        fake.finish(1);
        archiving.spawn(first.run({before, 10, 0}));
        fake.settle(5s);
        QCOMPARE(fake.archived(), 1);
        {
            async::TaskGroup meanwhile;
            meanwhile.spawn(second.run({after, 20, 0}));
            fake.settle(5s);
        }
        fake.finish(2);
        fake.settle(10s);
        QCOMPARE(fake.archived(), 1);
        const QString error = first.state(2).error;
        QVERIFY2(error.contains(u"a later master has archived"), qPrintable(error));
        archiving.spawn(second.run({after, 20, 0}));
        fake.settle(5s);
        QCOMPARE(fake.archived(), 2);
        QCOMPARE(numbersOf(fake.page()), upTo(2));
    }

    void changedLimitsTakeEffect()
    {
        ArchivingCluster fake;
        fake.finishAll(1, 10);
        fake.lead(1);
        fake.settle(5s);
        QCOMPARE(fake.left(), 10);
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":4,"history_limit":7})");
        fake.settle(5s);
        QCOMPARE(fake.left(), 4);
        QCOMPARE(fake.archived(), 7);
    }

    void noMoreThanTheLimitStay()
    {
        ArchivingCluster fake;
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":10})");
        fake.finishAll(1, Jobs);
        fake.lead(1);
        fake.settle(10s);
        QCOMPARE(fake.archived(), Jobs);
        QCOMPARE(fake.left(), 10);
        QVERIFY(fake.childrenOf(fake.layout.done()).contains("default-30")); // the newest
        QVERIFY(!fake.childrenOf(fake.layout.done()).contains("default-20"));
        QCOMPARE(fake.violations, QStringList());
    }

    // A fault of each kind at each operation, and at each the death of the process: the other candidate takes over.
    void eachJobIsArchivedOnceWhateverHappens_data()
    {
        QTest::addColumn<Fault>("fault");
        QTest::addColumn<bool>("shared"); // by the masters' machines: under its write lock
        QTest::newRow("lost request") << Fault::LoseRequest << false;
        QTest::newRow("lost reply") << Fault::LoseReply << false;
        QTest::newRow("delay") << Fault::Delay << false;
        QTest::newRow("disconnect") << Fault::Disconnect << false;
        QTest::newRow("expiry") << Fault::Expire << false;
        QTest::newRow("pause") << Fault::Pause << false;
        QTest::newRow("death") << Fault::None << false;
        QTest::newRow("shared file, lost reply") << Fault::LoseReply << true;
        QTest::newRow("shared file, expiry") << Fault::Expire << true;
        QTest::newRow("shared file, pause") << Fault::Pause << true;
        QTest::newRow("shared file, death") << Fault::None << true;
    }
    void eachJobIsArchivedOnceWhateverHappens()
    {
        QFETCH(Fault, fault);
        QFETCH(bool, shared);
        quint64 bitten = 0;
        for (quint64 step = 1; step <= 40; step += Stride) {
            FaultPlan plan;
            plan.seed = step;
            if (fault != Fault::None)
                plan.scripted[step] = fault;
            FaultInjector faults(plan);
            ArchivingCluster fake(2, {.faults = &faults}, shared);
            fake.finishAll(1, 5);
            fake.lead(1);
            fake.lead(2);
            if (fault == Fault::None) {
                fake.world.runUntil([&] { return faults.log().operations >= step; }, 120s);
                fake.kill(1);
                ++bitten;
            }
            fake.settle(40s);
            fake.finishAll(6, 8);
            fake.settle(200s);
            bitten += faults.log().count(fault);
            QCOMPARE(numbersOf(fake.page()), upTo(8));
            QVERIFY2(fake.left() == 0, qPrintable(QStringLiteral("step %1: %2 left").arg(step).arg(fake.left())));
            QCOMPARE(fake.violations, QStringList());
            QCOMPARE(fake.childrenOf(fake.layout.historyLock()), QByteArrayList());
        }
        QVERIFY(bitten >= 40 / Stride);
    }

    // Claims do not pause if the cluster's settings say to drop old records; the next test shows that.
    void claimsPauseWhileTheHistoryIsAway()
    {
        QTemporaryDir directory;
        ArchivingCluster fake;
        const QString missing = directory.filePath(QStringLiteral("later"));
        const history::Location place = history::Location::parse(missing + QStringLiteral("/h.sqlite"));
        history::History own(fake[1].loop(), place, history::OpenMode::Write);
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":20})");
        const Candidate master(fake, 1, &own);
        fake.finishAll(1, 19);
        fake.settle(20s);
        QVERIFY(!fake.exists(fake.layout.backpressure()));
        fake.finish(20);
        fake.settle(20s);
        const jobs::Backpressure pressure = jobs::Backpressure::of(fake.node(fake.layout.backpressure()).data);
        QVERIFY2(pressure.reason.startsWith(u"20 finished jobs wait for the history: "), qPrintable(pressure.reason));
        QCOMPARE(fake.stats().archive->pausedSince, pressure.since);
        fake.finishAll(21, 30); // what runs goes on
        fake.settle(30s);
        QCOMPARE(fake.left(), 30);
        QCOMPARE(fake.stats().archive->lost, 0);

        fake.commit(zk::Transaction().remove(fake.layout.backpressure())); // by another client
        fake.settle(5s);
        QVERIFY(fake.exists(fake.layout.backpressure()));
        QVERIFY(QDir().mkpath(missing));
        fake.settle(60s);
        QVERIFY(!fake.exists(fake.layout.backpressure()));
        QCOMPARE(history::Store(place, history::OpenMode::Read).count({}), 30);
        QCOMPARE(fake.stats().archive->pausedSince.count(), 0);
    }

    void aDeadMasterLeavesNoPauseBehind()
    {
        QTemporaryDir directory;
        ArchivingCluster fake(2);
        const history::Location place = history::Location::parse(directory.filePath(QStringLiteral("never/h.sqlite")));
        history::History away(fake[1].loop(), place, history::OpenMode::Write);
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":5})");
        {
            const Candidate master(fake, 1, &away);
            fake.finishAll(1, 8);
            fake.settle(20s);
            QVERIFY(fake.exists(fake.layout.backpressure()));
            fake.session(1).crash();
        }
        fake.settle(60s);
        QVERIFY(!fake.exists(fake.layout.backpressure()));
        QCOMPARE(fake.left(), 8);
        fake.lead(2);
        fake.settle(10s);
        QVERIFY(!fake.exists(fake.layout.backpressure()));
        QCOMPARE(fake.archived(), 8);
        QCOMPARE(fake.violations, QStringList());
    }

    // It was deleted, and the next master, whose history did not know it, cancelled the job that waited for it.
    void aRecordThatAJobWaitsForStays()
    {
        QTemporaryDir directory;
        ArchivingCluster fake(2);
        const JobId first = fake.submit();
        jobs::JobSpec spec = JobCluster::spec();
        spec.after = {{jobs::Dependency::Kind::Ok, first}};
        spec.notes.notBefore = fake.world.wallClock() + 30min;
        const JobId second = fake.submit(spec);
        fake.commit(zk::Transaction()
                        .remove(fake.layout.job("default", {jobs::QueueEntry::Class::Ready, 5, first.number}))
                        .create(fake.layout.done(first), FinalRecord::of(first, JobCluster::spec()).encode()));
        fake.lead(1);
        fake.settle(10min);
        QCOMPARE(fake.archived(), 1);
        QCOMPARE(fake.left(), 1);
        fake.kill(1);
        history::History another(fake[2].loop(),
                                 history::Location::parse(directory.filePath(QStringLiteral("h.sqlite"))),
                                 history::OpenMode::Write);
        const Candidate master(fake, 2, &another);
        fake.settle(40min);
        QVERIFY(fake.exists(fake.layout.job("default", {jobs::QueueEntry::Class::Ready, 5, second.number})));
        QCOMPARE(fake.left(), 0); // no job waits for it any more
    }

    // The archive was taken for failing, too.
    void aPruneThatFailsIsNoArchiveThatFails()
    {
        ArchivingCluster fake;
        fake.write(fake.layout.config(), R"({"v":1,"history_limit":4})");
        fake.execRaw(QStringLiteral("CREATE TRIGGER stays BEFORE DELETE ON job BEGIN SELECT RAISE(ABORT, 'no'); END"));
        fake.finishAll(1, 10);
        fake.lead(1);
        fake.settle(3min);
        QCOMPARE(fake.archived(), 10);
        QCOMPARE(fake.left(), 0);
        const jobs::ClusterStats stats = fake.stats();
        QCOMPARE(stats.archive->error, QString());
        QCOMPARE(stats.troubles.size(), 1u);
        QCOMPARE(stats.troubles[0].subject, QStringLiteral("limits of the history"));
        fake.execRaw(QStringLiteral("DROP TRIGGER stays"));
        fake.settle(15min);
        QCOMPARE(numbersOf(fake.page()), (QList<int>{7, 8, 9, 10}));
        QCOMPARE(fake.stats().troubles.size(), 0u);
    }

    void jobsGoOnWhileTheDatabaseFails()
    {
        QTemporaryDir directory;
        ArchivingCluster fake;
        // The master's history lies in a directory that is not there yet.
        const QString missing = directory.filePath(QStringLiteral("later"));
        const history::Location place = history::Location::parse(missing + QStringLiteral("/h.sqlite"));
        history::History own(fake[1].loop(), place, history::OpenMode::Write);
        fake.mayLose = true;
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":20,"history_when_away":"drop"})");
        const Candidate master(fake, 1, &own);
        fake.finishAll(1, 10);
        fake.settle(10s);
        QCOMPARE(fake.left(), 10);
        const jobs::ClusterStats failing = fake.stats();
        QCOMPARE(failing.archive->backlog.value_or(-1), 10);
        QVERIFY2(failing.archive->error.contains(u"cannot make the history"), qPrintable(failing.archive->error));
        const auto failingFor = fake.world.wallClock() - failing.archive->failingSince;
        QVERIFY(failingFor > 5s && failingFor <= 10s);
        QCOMPARE(failing.archive->lost, 0);

        fake.finishAll(11, 25); // over the limit
        fake.settle(30s);
        QCOMPARE(fake.left(), 20);
        QCOMPARE(fake.stats().archive->lost, 5);

        QVERIFY(QDir().mkpath(missing));
        fake.settle(60s);
        QCOMPARE(history::Store(place, history::OpenMode::Read).count({}), 20);
        const jobs::ClusterStats mended = fake.stats();
        QCOMPARE(mended.archive->error, QString());
        QCOMPARE(mended.archive->backlog.value_or(-1), 0);
        QCOMPARE(mended.archive->lost, 5);
    }

    void malformedRecordsAreKeptAsSuch()
    {
        ArchivingCluster fake;
        fake.write(fake.layout.done() / "no-job", "x");
        fake.write(fake.layout.done() / "README", "x");
        fake.finish(1, QByteArray("{\x00\xff", 3));
        fake.finish(2);
        fake.lead(1);
        fake.settle(workers::Archiver::Linger + 20s);
        const history::Page page = fake.page();
        QCOMPARE(numbersOf(page), upTo(2));
        const FinalRecord &malformed = page.entries[1].record;
        QCOMPARE(malformed.outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(malformed.reason.contains(u"malformed"));
        QCOMPARE(malformed.tail, QByteArray("{\x00\xff", 3));
        QCOMPARE(fake.childrenOf(fake.layout.done()), (QByteArrayList{"README", "no-job"})); // not ours to delete
    }

    void recordsRemovedByOthersDoNotStopIt()
    {
        ArchivingCluster fake;
        fake.finishAll(1, 5);
        fake.lead(1);
        fake.settle(5s);
        QCOMPARE(fake.archived(), 5);
        // Between its last listing and the sweep: one goes by hand, at the very instant.
        fake.world.at(fake.world.now() + workers::Archiver::Linger - 6s, [&] {
            fake[0].discard(fake.layout.done({"default", 3}));
        });
        fake.settle(workers::Archiver::Linger + 20s);
        QCOMPARE(fake.left(), 0);
        QCOMPARE(fake.archived(), 5);
    }

    void theHistoryIsPrunedAsTheClusterSays()
    {
        ArchivingCluster fake;
        fake.write(fake.layout.config(), R"({"v":1,"history_limit":4})");
        fake.finishAll(1, 10);
        fake.lead(1);
        fake.settle(30min);
        QCOMPARE(numbersOf(fake.page()), (QList<int>{7, 8, 9, 10}));
    }

    void aMasterWithAWrongClockPrunesNothing()
    {
        ArchivingCluster fake;
        fake.write(fake.layout.config(), R"({"v":1,"history_limit":4})");
        fake.process(1).setClockAhead(24h);
        fake.finishAll(1, 10);
        fake.lead(1);
        fake.settle(1h);
        QCOMPARE(fake.archived(), 10);
        fake.process(1).setClockAhead(0s);
        fake.settle(30min);
        QCOMPARE(numbersOf(fake.page()), (QList<int>{7, 8, 9, 10}));
    }
};

QTEST_GUILESS_MAIN(ArchiverTest)
#include "archiver_test.moc"
