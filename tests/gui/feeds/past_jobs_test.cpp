#include "gui/feeds/past_fixture.h"

#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::JobId;
using jobs::JobState;
using Fixture = drover::test::PastFixture;

namespace {

async::Task<zk::Answer<zk::Created>> create(zk::Client &zk, zk::Path path, QByteArray data)
{
    const auto made = co_await zk.create(path, data);
    co_return made;
}

} // namespace

// Jobs that have ended stay within reach when the master has moved them to the history.
class PastJobsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anArchivedJobIsStillShown()
    {
        Fixture f;
        f.fillAndOpen();
        const int rows = f.models.jobs.rowCount();
        const qint64 ended = f.models.jobs.snapshot().ended;
        f.archive({"default", 6});
        const JobRow *const failed = f.job("default-6");
        QVERIFY(failed);
        QCOMPARE(failed->state, JobState::Failed);
        QCOMPARE(failed->exitCode.value_or(-1), 2);
        QCOMPARE(f.models.jobs.rowCount(), rows);
        QCOMPARE(f.models.jobs.snapshot().ended, ended);
    }

    // Wherever they are. An old failure, a task and what has succeeded are left out.
    void failuresOfTheLastDayAreCounted()
    {
        Fixture f;
        f.fillAndOpen();
        const qint64 before = f.models.jobs.snapshot().failedLately;
        QCOMPARE(before, f.count(JobState::Failed));
        history::ArchiveBatch batch{"default", {std::chrono::milliseconds(1)}, {}};
        const std::chrono::milliseconds now = f.consoleLoop.wallClock();
        const auto add = [&](const JobId &id, int code, std::chrono::hours ago) {
            jobs::FinalRecord record = jobs::FinalRecord::of(id, test::SampleCluster::spec({u"false"_qs}));
            record.outcome = jobs::FinalRecord::Outcome::Exited;
            record.code = code;
            batch.entries.push_back({"default", record, now - ago, {}});
        };
        add({"default", 101}, 1, 1h);
        add({"default", 102}, 1, 23h);
        add({"default", 103}, 1, 25h);
        add({"default", 104}, 0, 1h);
        add({"default", 105, 1}, 1, 1h);
        f.run(f.past.archive(batch));
        f.console.past().lookAgain();
        f.world.runFor(5s);
        QCOMPARE(f.models.jobs.snapshot().failedLately, before + 2);
        f.archive({"default", 6}); // whose end is longer ago there
        QCOMPARE(f.models.jobs.snapshot().failedLately, before + 1);
    }

    // The history has its record, and done/ has it still, as an array counts it or another job waits for it.
    void aFailureThatIsArchivedAndInDoneIsCountedOnce()
    {
        Fixture f;
        f.run(f.cluster.fill());
        const JobId id{"default", 77};
        jobs::FinalRecord record = jobs::FinalRecord::of(id, test::SampleCluster::spec({u"false"_qs}));
        record.outcome = jobs::FinalRecord::Outcome::Exited;
        record.code = 1;
        const auto made = f.writer->create(f.cluster.layout().done(id), record.encode());
        f.open();
        f.world.runFor(10s);
        QVERIFY(f.job("default-77"));
        const qint64 before = f.models.jobs.snapshot().failedLately;
        QCOMPARE(before, f.count(JobState::Failed));
        history::ArchiveBatch batch{"default", {1ms}, {}};
        batch.entries.push_back({"default", record, f.consoleLoop.wallClock() - 1h, {}});
        f.run(f.past.archive(batch));
        for (const QString &filter :
             {u"--state succeeded"_qs, QString()}) { // the table has no row of the history for it
            f.search(filter);
            f.console.past().lookAgain();
            f.world.runFor(60s);
            QCOMPARE(f.models.jobs.snapshot().failedLately, before);
        }
        const auto removed = f.writer->remove(f.cluster.layout().done(id));
        f.world.runFor(60s);
        QCOMPARE(f.models.jobs.snapshot().failedLately, before);
    }

    // With its output, and to be submitted again.
    void anArchivedJobIsLookedUpAndSubmittedAgain()
    {
        Fixture f;
        f.fillAndOpen();
        f.archive({"default", 6});
        QSignalSpy found(&f.console.actions(), &JobActions::found);
        QSignalSpy prepared(&f.console.actions(), &JobActions::prepared);
        f.console.actions().lookUp(1, {"default", 6});
        f.console.actions().prepare(2, {{"default", 6}});
        f.world.runFor(2s);
        QCOMPARE(found.size(), 1);
        QVERIFY(found[0][1].value<jobs::JobView>().record->tail.contains("Permission denied"));
        QCOMPARE(prepared.size(), 1);
        QCOMPARE(prepared[0][1].value<jobs::JobSpec>().command.first(), u"wc"_qs);
    }

    // Wherever they are; a number that does not hold is said.
    void theFailedTasksOfAnArrayAreFound()
    {
        Fixture f;
        f.fillAndOpen();
        jobs::JobSpec sweep = test::SampleCluster::spec({u"false"_qs});
        sweep.array = jobs::ArrayIndices::parse(u"1-9"_qs);
        jobs::FinalRecord array = jobs::FinalRecord::of({"default", 100}, sweep);
        array.outcome = jobs::FinalRecord::Outcome::Exited;
        array.code = 1;
        array.failedTasks = 2;
        f.add(array);
        sweep.array.reset();
        for (const int task : {2, 5, 7}) {
            jobs::FinalRecord record = jobs::FinalRecord::of({"default", 100, task}, sweep);
            record.outcome = jobs::FinalRecord::Outcome::Exited;
            record.code = task == 7 ? 0 : 1;
            if (task == 5) { // it is not archived yet
                const auto made = f.run(create(*f.writer, f.cluster.layout().done(record.id), record.encode()));
                QVERIFY(made.ok());
            } else {
                f.add(record);
            }
        }
        QSignalSpy found(&f.console.actions(), &JobActions::failedFound);
        QSignalSpy failed(&f.console.actions(), &JobActions::failed);
        f.console.actions().findFailed(1, {{"default", 100}, {"default", 6}}); // that one has failed itself
        f.world.runFor(2s);
        QCOMPARE(found.size(), 1);
        const QList<JobId> expected{{"default", 100, 2}, {"default", 100, 5}, {"default", 6}};
        QCOMPARE(found[0][1].value<QList<JobId>>(), expected);
        f.writer->discard(f.cluster.layout().done({"default", 100, 5}));
        f.world.runFor(2s);
        f.console.actions().findFailed(2, {{"default", 100}});
        f.world.runFor(2s);
        QVERIFY2(failed.value(0).value(1).toString().contains(u"only 1 are known"_qs),
                 qPrintable(failed[0][1].toString()));
        f.console.actions().findFailed(3, {{"default", 1}}); // it has succeeded
        f.world.runFor(2s);
        QCOMPARE(failed.value(1).value(1).toString(), u"none of these jobs has failed"_qs);
    }

    void aSearchGoesThroughTheHistory()
    {
        Fixture f;
        f.run(f.cluster.fill());
        for (int i = 0; i < int(PastJobs::PageRows) + 20; ++i) {
            jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
            spec.name = i == 0 ? u"the oldest one"_qs : u"filler"_qs;
            f.add(jobs::FinalRecord::of({"default", 100 + i}, spec));
        }
        f.open();
        QVERIFY(!f.job("default-100"));
        f.search(u"oldest"_qs);
        QVERIFY(f.job("default-100"));
        QCOMPARE(f.models.jobs.notSearched(), 0);
        f.search(u"default-100"_qs);
        QVERIFY(f.job("default-100"));
        f.search({});
        QVERIFY(!f.job("default-100"));
    }

    // The filters of drover ls, also among those that have ended.
    void aSearchHasTheOptionsOfTheCommandLine()
    {
        Fixture f;
        f.run(f.cluster.fill());
        for (int i = 0; i < int(PastJobs::PageRows) + 20; ++i) {
            jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
            spec.name = i == 0 ? u"nightly-1"_qs : u"filler"_qs;
            spec.tags = i < 2 ? QStringList{u"urgent"_qs} : QStringList();
            spec.submitter = u"ann@node1"_qs;
            f.add(jobs::FinalRecord::of({"default", 100 + i}, spec));
        }
        f.open();
        f.search(u"--tag urgent"_qs);
        QVERIFY(f.job("default-100"));
        QVERIFY(f.job("default-101"));
        QVERIFY(!f.job("default-102"));
        f.search(u"--tag urgent --name 'nightly-?'"_qs);
        QVERIFY(f.job("default-100"));
        QVERIFY(!f.job("default-101"));
        f.search(u"--tag urgent --submitter bob"_qs);
        QVERIFY(!f.job("default-100"));
        f.search(u"true --tag urgent --submitter ann --state succeeded"_qs);
        QVERIFY(f.job("default-100"));
    }

    // The index of words knows only where words begin.
    void aSearchFindsWhatStandsInTheMiddleOfAWord()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(int(PastJobs::Stretch) + 1000, {u"nightly-backup.sh"_qs, u"--all"_qs});
        f.open();
        QSignalSpy said(&f.console.past(), &PastJobs::changed);
        f.search(u"ACKUP.sh --a"_qs);
        QVERIFY(f.job("default-100"));
        QVERIFY(!f.models.jobs.snapshot().pastGoesOn);
        const bool saidHowFar = std::any_of(said.begin(), said.end(), [](const QVariantList &signal) {
            const auto past = signal.front().value<PastSnapshot>();
            return past.goesOn && past.searched == PastJobs::Stretch;
        });
        QVERIFY(saidHowFar);
    }

    // A page at a time, as a view that is scrolled to its end asks for them.
    void olderJobsComeByScrolling()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(3 * int(PastJobs::PageRows) - 100, {u"true"_qs});
        f.open();
        f.world.runFor(5s);
        QCOMPARE(f.models.jobs.snapshot().pastRows, PastJobs::PageRows);
        for (const qint64 rows : {2 * PastJobs::PageRows, 3 * PastJobs::PageRows - 100}) {
            QVERIFY(!f.job("default-100"));
            QVERIFY(f.models.jobs.canFetchMore({}));
            f.models.jobs.fetchMore({});
            QVERIFY(!f.models.jobs.canFetchMore({})); // once
            f.world.runFor(5s);
            QCOMPARE(f.models.jobs.snapshot().pastRows, rows);
        }
        QVERIFY(f.job("default-100"));
        QVERIFY(!f.models.jobs.canFetchMore({}));
    }

    // However few of the newest there are.
    void newJobsComeToThoseThatWereScrolledTo()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(2 * int(PastJobs::PageRows), {u"true"_qs});
        f.open();
        f.world.runFor(5s);
        f.models.jobs.fetchMore({});
        f.world.runFor(5s);
        f.archive({"default", 6});
        QVERIFY(f.job("default-100"));
        QCOMPARE(f.job("default-6")->state, JobState::Failed);
        QCOMPARE(f.models.jobs.snapshot().pastRows, 2 * PastJobs::PageRows + 1);
    }

    // The table shows the first two thousand of them.
    void aSearchGoesThroughAllUnfinishedJobs()
    {
        Fixture f;
        f.fillAndOpen();
        for (int i = 0; i < 3000; ++i) {
            jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
            spec.name = u"bulk-%1."_qs.arg(i);
            const auto created = f.writer->create(f.cluster.layout().queue("default") / "q7-", spec.encode(),
                                                  zk::CreateMode::PersistentSequential);
        }
        f.world.runFor(10s);
        const auto names = [&] {
            QStringList all;
            for (int i = 0; i < f.models.jobs.rowCount(); ++i)
                all << f.models.jobs.row(i).name;
            return all;
        };
        QVERIFY(!names().contains(u"bulk-2999."_qs));
        f.search(u"bulk-2999."_qs);
        QVERIFY(names().contains(u"bulk-2999."_qs));
        QCOMPARE(f.models.jobs.notSearched(), 0);
    }

    void saysThatTheHistoryCannotBeRead()
    {
        Fixture f;
        f.history = [](const Target &, const QString &) -> std::optional<history::Location> {
            throw history::HistoryError(u"it is not allowed here"_qs);
        };
        f.fillAndOpen();
        f.world.runFor(2s);
        QCOMPARE(f.models.jobs.snapshot().pastTrouble, u"it is not allowed here"_qs);
    }

    // As drover ls and drover queue ls say.
    void jobsOfAPausedQueueSayWhatTheyWaitFor()
    {
        Fixture f;
        f.fillAndOpen();
        QCOMPARE(f.job("gpu-5")->waits, QString());
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::changeQueue(cluster, "gpu", [](jobs::QueueSettings &settings) {
            settings.paused = true;
            settings.pausedBy = u"root@vm"_qs;
            settings.why = u"maintenance"_qs;
            settings.limit = 2;
        }));
        f.world.runFor(2s);
        QCOMPARE(f.job("gpu-5")->waits, u"paused queue: maintenance (root@vm)"_qs);
        QCOMPARE(f.job("gpu-1")->waits, QString()); // it runs
        QCOMPARE(f.models.queues.now("gpu").paused, u"paused by root@vm: maintenance"_qs);
        QCOMPARE(f.models.queues.now("gpu").limit, 2);
        f.run(jobs::changeQueue(cluster, "gpu", [](jobs::QueueSettings &settings) { settings.paused = false; }));
        f.world.runFor(2s);
        QCOMPARE(f.job("gpu-5")->waits, QString());
    }
};

QTEST_GUILESS_MAIN(PastJobsTest)
#include "past_jobs_test.moc"
