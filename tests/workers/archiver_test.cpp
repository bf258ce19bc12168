#include "support/sanitized.h"
#include "workers/archiving_party.h"

#include <QDir>
#include <QLoggingCategory>
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
        for (const history::Entry &entry : page.entries)
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
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    void recordsAreArchivedSoonAndDeletedLater()
    {
        ArchivingParty party;
        party.finish(1);
        party.lead(1);
        party.settle(3s);
        QCOMPARE(party.archived(), 1);
        party.finish(2);
        party.settle(1s);
        QCOMPARE(party.archived(), 2); // it watches
        QCOMPARE(party.left(), 2); // who waits for the jobs finds them
        QCOMPARE(party.stats().archive->backlog.value_or(-1), 0);
        party.settle(workers::Archiver::Linger + 5s);
        QCOMPARE(party.left(), 0);
        const history::Page page = party.page();
        QCOMPARE(numbersOf(page), upTo(2));
        QCOMPARE(page.entries[0].cluster, QByteArray("test"));
        QCOMPARE(page.entries[0].record.key, QStringLiteral("key-2"));
        QVERIFY(page.entries[0].endedAt > page.entries[1].endedAt);
        QCOMPARE(party.violations, QStringList());
    }

    void recordsWithoutAClientsKeyGoAtOnce()
    {
        ArchivingParty party;
        party.lead(1);
        party.finish(1, FinalRecord::of({"default", 1}, JobParty::spec()).encode());
        party.finish(2);
        party.settle(10s);
        QCOMPARE(party.left(), 1);
        QCOMPARE(party.archived(), 2);
    }

    void aDeposedMasterDeletesNothing()
    {
        ArchivingParty party;
        const zk::Path office = party.layout.master() / "somebody";
        party.write(office, "w1");
        party.finish(1);
        history::History own(party[1].loop(), party.place(), history::Access::Write);
        workers::HistoryLine line(party[1].loop(), own);
        workers::HistoryWriter writer(party[1], party.layout, own, line);
        workers::Archiver archiver(party[1], party.layout, writer);
        QVERIFY(!archiver.state(1).backlog); // an earlier master may have archived it
        async::TaskGroup archiving;
        archiving.spawn(archiver.run({office, 0, 0}));
        party.settle(5s);
        QCOMPARE(party.archived(), 1);
        QCOMPARE(archiver.state(1).backlog.value_or(-1), 0);
        party.commit(zk::Transaction().remove(office));
        party.settle(30s);
        QVERIFY(!archiving.empty()); // it has not noticed
        party.settle(workers::Archiver::Linger);
        QVERIFY(archiving.empty());
        QCOMPARE(party.left(), 1);
        QVERIFY(!archiver.failing());
    }

    // It was stopped while it archived; meanwhile another was elected, and has archived.
    void aZombiesLateCommitIsRefused()
    {
        ArchivingParty party(2, {}, true);
        const zk::Path before = party.layout.master() / "before";
        const zk::Path after = party.layout.master() / "after";
        party.write(before, "w1");
        party.write(after, "w2");
        history::History firstsOwn(party[1].loop(), party.place(), history::Access::Write);
        history::History secondsOwn(party[2].loop(), party.place(), history::Access::Write);
        workers::HistoryLine firstLine(party[1].loop(), firstsOwn);
        workers::HistoryLine secondLine(party[2].loop(), secondsOwn);
        workers::HistoryWriter firstWriter(party[1], party.layout, firstsOwn, firstLine);
        workers::HistoryWriter secondWriter(party[2], party.layout, secondsOwn, secondLine);
        workers::Archiver first(party[1], party.layout, firstWriter);
        workers::Archiver second(party[2], party.layout, secondWriter);
        async::TaskGroup archiving;
        party.finish(1);
        archiving.spawn(first.run({before, 10, 0}));
        party.settle(5s);
        QCOMPARE(party.archived(), 1);
        {
            async::TaskGroup meanwhile;
            meanwhile.spawn(second.run({after, 20, 0}));
            party.settle(5s);
        }
        party.finish(2);
        party.settle(10s);
        QCOMPARE(party.archived(), 1);
        const QString error = first.state(2).error;
        QVERIFY2(error.contains(u"a later master has archived"), qPrintable(error));
        archiving.spawn(second.run({after, 20, 0}));
        party.settle(5s);
        QCOMPARE(party.archived(), 2);
        QCOMPARE(numbersOf(party.page()), upTo(2));
    }

    void changedLimitsAreHeardOf()
    {
        ArchivingParty party;
        party.finishAll(1, 10);
        party.lead(1);
        party.settle(5s);
        QCOMPARE(party.left(), 10);
        party.write(party.layout.config(), R"({"v":1,"done_limit":4,"history_limit":7})");
        party.settle(5s);
        QCOMPARE(party.left(), 4);
        QCOMPARE(party.archived(), 7);
    }

    void noMoreThanTheLimitStay()
    {
        ArchivingParty party;
        party.write(party.layout.config(), R"({"v":1,"done_limit":10})");
        party.finishAll(1, Jobs);
        party.lead(1);
        party.settle(10s);
        QCOMPARE(party.archived(), Jobs);
        QCOMPARE(party.left(), 10);
        QVERIFY(party.childrenOf(party.layout.done()).contains("default-30")); // the newest
        QVERIFY(!party.childrenOf(party.layout.done()).contains("default-20"));
        QCOMPARE(party.violations, QStringList());
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
            ArchivingParty party(2, {.faults = &faults}, shared);
            party.finishAll(1, 5);
            party.lead(1);
            party.lead(2);
            if (fault == Fault::None) {
                party.world.runUntil([&] { return faults.log().operations >= step; }, 120s);
                party.kill(1);
                ++bitten;
            }
            party.settle(40s);
            party.finishAll(6, 8);
            party.settle(200s);
            bitten += faults.log().count(fault);
            QCOMPARE(numbersOf(party.page()), upTo(8));
            QVERIFY2(party.left() == 0, qPrintable(QStringLiteral("step %1: %2 left").arg(step).arg(party.left())));
            QCOMPARE(party.violations, QStringList());
            QCOMPARE(party.childrenOf(party.layout.historyLock()), QByteArrayList());
        }
        QVERIFY(bitten >= 40 / Stride);
    }

    // Unless the cluster is told to drop them, which the next one is about.
    void claimsPauseWhileTheHistoryIsAway()
    {
        QTemporaryDir directory;
        ArchivingParty party;
        const QString missing = directory.filePath(QStringLiteral("later"));
        const history::Location place = history::Location::parse(missing + QStringLiteral("/h.sqlite"));
        history::History own(party[1].loop(), place, history::Access::Write);
        party.write(party.layout.config(), R"({"v":1,"done_limit":20})");
        const Candidate master(party, 1, &own);
        party.finishAll(1, 19);
        party.settle(20s);
        QVERIFY(!party.exists(party.layout.backpressure()));
        party.finish(20);
        party.settle(20s);
        const jobs::Backpressure pressure = jobs::Backpressure::of(party.node(party.layout.backpressure()).data);
        QVERIFY2(pressure.reason.startsWith(u"20 finished jobs wait for the history: "), qPrintable(pressure.reason));
        QCOMPARE(party.stats().archive->pausedSince, pressure.since);
        party.finishAll(21, 30); // what runs goes on
        party.settle(30s);
        QCOMPARE(party.left(), 30);
        QCOMPARE(party.stats().archive->lost, 0);

        party.commit(zk::Transaction().remove(party.layout.backpressure())); // by somebody
        party.settle(5s);
        QVERIFY(party.exists(party.layout.backpressure()));
        QVERIFY(QDir().mkpath(missing));
        party.settle(60s);
        QVERIFY(!party.exists(party.layout.backpressure()));
        QCOMPARE(history::Store(place, history::Access::Read).count({}), 30);
        QCOMPARE(party.stats().archive->pausedSince.count(), 0);
    }

    void aDeadMasterLeavesNoPauseBehind()
    {
        QTemporaryDir directory;
        ArchivingParty party(2);
        const history::Location place = history::Location::parse(directory.filePath(QStringLiteral("never/h.sqlite")));
        history::History away(party[1].loop(), place, history::Access::Write);
        party.write(party.layout.config(), R"({"v":1,"done_limit":5})");
        {
            const Candidate master(party, 1, &away);
            party.finishAll(1, 8);
            party.settle(20s);
            QVERIFY(party.exists(party.layout.backpressure()));
            party.session(1).crash();
        }
        party.settle(60s);
        QVERIFY(!party.exists(party.layout.backpressure()));
        QCOMPARE(party.left(), 8);
        party.lead(2);
        party.settle(10s);
        QVERIFY(!party.exists(party.layout.backpressure()));
        QCOMPARE(party.archived(), 8);
        QCOMPARE(party.violations, QStringList());
    }

    // It was deleted, and the next master, whose history did not know it, cancelled the job that waited for it.
    void aRecordThatAJobWaitsForStays()
    {
        QTemporaryDir directory;
        ArchivingParty party(2);
        const JobId first = party.submit();
        jobs::JobSpec spec = JobParty::spec();
        spec.after = {{jobs::Dependency::Kind::Ok, first}};
        spec.notBefore = party.world.wallClock() + 30min;
        const JobId second = party.submit(spec);
        party.commit(zk::Transaction()
                         .remove(party.layout.job("default", {jobs::QueueEntry::Class::Ready, 5, first.number}))
                         .create(party.layout.done(first), FinalRecord::of(first, JobParty::spec()).encode()));
        party.lead(1);
        party.settle(10min);
        QCOMPARE(party.archived(), 1);
        QCOMPARE(party.left(), 1);
        party.kill(1);
        history::History another(party[2].loop(),
                                 history::Location::parse(directory.filePath(QStringLiteral("h.sqlite"))),
                                 history::Access::Write);
        const Candidate master(party, 2, &another);
        party.settle(40min);
        QVERIFY(party.exists(party.layout.job("default", {jobs::QueueEntry::Class::Ready, 5, second.number})));
        QCOMPARE(party.left(), 0); // now it is nobody's concern
    }

    // The archive was taken for failing, too.
    void aPruneThatFailsIsNoArchiveThatFails()
    {
        ArchivingParty party;
        party.write(party.layout.config(), R"({"v":1,"history_limit":4})");
        party.execRaw(QStringLiteral("CREATE TRIGGER stays BEFORE DELETE ON job BEGIN SELECT RAISE(ABORT, 'no'); END"));
        party.finishAll(1, 10);
        party.lead(1);
        party.settle(3min);
        QCOMPARE(party.archived(), 10);
        QCOMPARE(party.left(), 0);
        const jobs::ClusterStats stats = party.stats();
        QCOMPARE(stats.archive->error, QString());
        QCOMPARE(stats.troubles.size(), 1u);
        QCOMPARE(stats.troubles[0].subject, QStringLiteral("limits of the history"));
        party.execRaw(QStringLiteral("DROP TRIGGER stays"));
        party.settle(15min);
        QCOMPARE(numbersOf(party.page()), (QList<int>{7, 8, 9, 10}));
        QCOMPARE(party.stats().troubles.size(), 0u);
    }

    void jobsGoOnWhileTheDatabaseFails()
    {
        QTemporaryDir directory;
        ArchivingParty party;
        // The master's history lies in a directory that is not there yet.
        const QString missing = directory.filePath(QStringLiteral("later"));
        const history::Location place = history::Location::parse(missing + QStringLiteral("/h.sqlite"));
        history::History own(party[1].loop(), place, history::Access::Write);
        party.mayLose = true;
        party.write(party.layout.config(), R"({"v":1,"done_limit":20,"history_when_away":"drop"})");
        const Candidate master(party, 1, &own);
        party.finishAll(1, 10);
        party.settle(10s);
        QCOMPARE(party.left(), 10);
        const jobs::ClusterStats failing = party.stats();
        QCOMPARE(failing.archive->backlog.value_or(-1), 10);
        QVERIFY2(failing.archive->error.contains(u"cannot make the history"), qPrintable(failing.archive->error));
        const auto failingFor = party.world.wallClock() - failing.archive->failingSince;
        QVERIFY(failingFor > 5s && failingFor <= 10s);
        QCOMPARE(failing.archive->lost, 0);

        party.finishAll(11, 25); // over the limit
        party.settle(30s);
        QCOMPARE(party.left(), 20);
        QCOMPARE(party.stats().archive->lost, 5);

        QVERIFY(QDir().mkpath(missing));
        party.settle(60s);
        QCOMPARE(history::Store(place, history::Access::Read).count({}), 20);
        const jobs::ClusterStats mended = party.stats();
        QCOMPARE(mended.archive->error, QString());
        QCOMPARE(mended.archive->backlog.value_or(-1), 0);
        QCOMPARE(mended.archive->lost, 5);
    }

    void malformedRecordsAreKeptAsSuch()
    {
        ArchivingParty party;
        party.write(party.layout.done() / "no-job", "x");
        party.write(party.layout.done() / "README", "x");
        party.finish(1, QByteArray("{\x00\xff", 3));
        party.finish(2);
        party.lead(1);
        party.settle(workers::Archiver::Linger + 20s);
        const history::Page page = party.page();
        QCOMPARE(numbersOf(page), upTo(2));
        const FinalRecord &malformed = page.entries[1].record;
        QCOMPARE(malformed.outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(malformed.reason.contains(u"malformed"));
        QCOMPARE(malformed.tail, QByteArray("{\x00\xff", 3));
        QCOMPARE(party.childrenOf(party.layout.done()), (QByteArrayList{"README", "no-job"})); // not ours to delete
    }

    void recordsRemovedByOthersDoNotStopIt()
    {
        ArchivingParty party;
        party.finishAll(1, 5);
        party.lead(1);
        party.settle(5s);
        QCOMPARE(party.archived(), 5);
        // Between its last listing and the sweep: one goes by hand, at the very instant.
        party.world.at(party.world.now() + workers::Archiver::Linger - 6s, [&] {
            party[0].discard(party.layout.done({"default", 3}));
        });
        party.settle(workers::Archiver::Linger + 20s);
        QCOMPARE(party.left(), 0);
        QCOMPARE(party.archived(), 5);
    }

    void theHistoryIsPrunedAsTheClusterSays()
    {
        ArchivingParty party;
        party.write(party.layout.config(), R"({"v":1,"history_limit":4})");
        party.finishAll(1, 10);
        party.lead(1);
        party.settle(30min);
        QCOMPARE(numbersOf(party.page()), (QList<int>{7, 8, 9, 10}));
    }
};

QTEST_GUILESS_MAIN(ArchiverTest)
#include "archiver_test.moc"
