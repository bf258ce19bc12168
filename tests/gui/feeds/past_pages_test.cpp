#include "gui/feeds/past_fixture.h"

#include <QDateTime>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::JobId;
using jobs::JobState;
namespace {

struct Fixture : test::PastFixture {
    QString typed; // what was searched last

    void search(const QString &text)
    {
        typed = text;
        test::PastFixture::search(text);
    }
    // Another file stands in the place of the history, until comeBack().
    void goAway()
    {
        for (const QString &part : Parts)
            QVERIFY(QFile::rename(place.file + part, place.file + u".away"_qs + part));
        QFile other(place.file);
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("no database, whatever its name says") > 0);
    }
    void comeBack()
    {
        for (const QString &part : Parts) {
            QFile::remove(place.file + part);
            QVERIFY(QFile::rename(place.file + u".away"_qs + part, place.file + part));
        }
    }

private:
    const QStringList Parts{u""_qs, u"-wal"_qs, u"-shm"_qs};
};

} // namespace

// The pages of a long history come one after the other, whatever happens meanwhile.
class PastPagesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // So many jobs have been archived that the walk begins anew, while the table keeps its rows.
    void aPageThatIsAskedForMeanwhileTakesNoRowsAway()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(5 * int(PastJobs::PageRows), {u"true"_qs});
        f.open();
        f.world.runFor(5s);
        for (int page = 2; page <= 4; ++page) {
            f.models.jobs.fetchMore({});
            f.world.runFor(5s);
        }
        QCOMPARE(f.models.jobs.snapshot().pastRows, 4 * PastJobs::PageRows);
        const int walk = f.models.jobs.snapshot().pastWalk;
        QSignalSpy sent(&f.console.past(), &PastJobs::changed);
        f.archiveMany(int(PastJobs::PageRows) + 100, {u"true"_qs}, 9000);
        f.console.past().lookAgain();
        const bool begun = f.world.runUntil([&] {
            f.console.past().readOlder(); // the user scrolls on
            return f.models.jobs.snapshot().pastWalk != walk;
        });
        QVERIFY(begun);
        for (const QVariantList &signal : std::as_const(sent))
            QVERIFY(signal.front().value<PastSnapshot>().rows.size() >= 4 * PastJobs::PageRows);
        QVERIFY(f.job("default-9000"));
    }

    // A master has written them into the history, and has not removed them yet.
    void aPageOfJobsThatAreStillInDoneIsNotTheLast()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(4 * int(PastJobs::PageRows), {u"true"_qs});
        for (qsizetype i = 2 * PastJobs::PageRows; i < 3 * PastJobs::PageRows; ++i) {
            const JobId id{"default", 100 + int(i)};
            const auto record = jobs::FinalRecord::of(id, test::SampleCluster::spec({u"true"_qs}));
            const auto made = f.writer->create(f.cluster.layout().done(id), record.encode());
        }
        f.open();
        f.world.runFor(5s);
        QCOMPARE(f.models.jobs.snapshot().pastRows, PastJobs::PageRows);
        f.models.jobs.fetchMore({}); // the view has scrolled to its end, and scrolls no further
        f.world.runFor(5s);
        QCOMPARE(f.models.jobs.snapshot().pastRows, 2 * PastJobs::PageRows);
        QVERIFY(f.job("default-700"));
        f.models.jobs.fetchMore({});
        f.world.runFor(5s);
        QVERIFY(f.job("default-100"));
    }

    // Nothing is archived meanwhile.
    void whatWasThereStaysWhileTheHistoryFails()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(3 * int(PastJobs::PageRows), {u"true"_qs});
        f.open();
        f.world.runFor(5s);
        f.models.jobs.fetchMore({});
        f.world.runFor(5s);
        f.goAway();
        f.console.past().lookAgain();
        f.world.runFor(3s);
        QVERIFY(!f.models.jobs.snapshot().pastTrouble.isEmpty());
        QCOMPARE(f.models.jobs.snapshot().pastRows, 2 * PastJobs::PageRows);
        f.search(u"default-1599"_qs);
        QCOMPARE(f.models.jobs.snapshot().pastRows, 1);
        f.search({});
        QVERIFY(!f.models.jobs.snapshot().pastTrouble.isEmpty());
        QCOMPARE(f.models.jobs.snapshot().pastRows, 2 * PastJobs::PageRows);
        f.comeBack();
        f.world.runFor(3 * PastJobs::RetryAfter);
        QCOMPARE(f.models.jobs.snapshot().pastTrouble, QString());
        QCOMPARE(f.models.jobs.snapshot().pastRows, PastJobs::PageRows); // a search begins with the first page
        QVERIFY(f.models.jobs.canFetchMore({}));
    }

    // The search that is given up knew fewer of them.
    void aSearchTakesNoRowsFromTheListWhileTheHistoryFails()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(3 * int(PastJobs::PageRows), {u"true"_qs});
        f.open();
        f.world.runFor(5s);
        f.search(u"default-101"_qs); // of the last page
        QCOMPARE(f.models.jobs.snapshot().pastRows, 11);
        f.goAway();
        f.console.past().lookAgain();
        f.world.runFor(3s);
        QVERIFY(!f.models.jobs.snapshot().pastTrouble.isEmpty());
        QCOMPARE(f.models.jobs.snapshot().pastRows, 11);
        f.search({});
        QVERIFY(!f.models.jobs.snapshot().pastTrouble.isEmpty());
        QCOMPARE(f.models.jobs.snapshot().pastRows, PastJobs::PageRows);
    }

    // It would begin anew, and no longer say how far it is.
    void noRetryDisturbsASearchThatGoesOn()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(100, {u"true"_qs});
        f.open();
        f.goAway();
        f.console.past().lookAgain();
        f.world.runFor(3s);
        QVERIFY(!f.models.jobs.snapshot().pastTrouble.isEmpty());
        f.comeBack();
        QSignalSpy sent(&f.console.past(), &PastJobs::changed);
        f.search(u"true"_qs); // for longer than a retry takes to come
        QSet<int> walks;
        for (const QVariantList &signal : std::as_const(sent))
            walks.insert(signal.front().value<PastSnapshot>().walk);
        QVERIFY(f.job("default-100"));
        QCOMPARE(walks.size(), 1);
    }

    // They would be the last that a walk through the history comes to.
    void aNameOrATagIsFoundByItsIndexAtOnce()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(int(PastJobs::Stretch) + 1000, {u"nightly-backup.sh"_qs});
        f.open();
        for (const QString &filter : {u"--name nightly-backup.sh"_qs, u"--tag seldom"_qs, u"filler --tag seldom"_qs}) {
            QSignalSpy sent(&f.console.past(), &PastJobs::changed);
            f.search(filter);
            const bool isThere = f.job("default-100") != nullptr;
            QCOMPARE(isThere, !filter.startsWith(u"filler"));
            const auto first = sent.first().front().value<PastSnapshot>();
            QCOMPARE(first.searched, 0);
            QCOMPARE(first.rows.size(), isThere ? 1 : 0);
        }
    }

    // The walk goes no further back, and the jobs that have not ended are left out.
    void aTimeOrAWorkerIsFound()
    {
        Fixture f;
        f.run(f.cluster.fill());
        const int count = int(PastJobs::Stretch) + 1000;
        f.archiveMany(count, {u"true"_qs});
        jobs::FinalRecord record = jobs::FinalRecord::of({"gpu", 900}, test::SampleCluster::spec({u"true"_qs}));
        record.worker = u"up-3"_qs;
        f.add(record);
        f.open();
        const auto shown = [&] {
            QStringList ids;
            for (int i = 0; i < f.models.jobs.rowCount(); ++i) {
                if (JobSearch(f.typed).fits(f.models.jobs.row(i)))
                    ids << f.models.jobs.row(i).id.toString();
            }
            ids.sort();
            return ids;
        };
        f.search(u"worker:up-? since:2025-10-01 until:2025-11-01"_qs);
        QCOMPARE(shown(), QStringList{u"gpu-900"_qs});
        QSignalSpy sent(&f.console.past(), &PastJobs::changed);
        // 1'700'000'000 s and the seconds of the last two of them
        const QDateTime last = QDateTime::fromMSecsSinceEpoch(1'700'000'000'000 + qint64(count - 2) * 1000, Qt::UTC);
        f.search(u"since:%1 until:2024-01-01"_qs.arg(last.toString(Qt::ISODate)));
        QCOMPARE(
            shown(),
            (QStringList{JobId{"default", 100 + count - 2}.toString(), JobId{"default", 100 + count - 1}.toString()}));
        for (const QVariantList &signal : std::as_const(sent))
            QVERIFY(signal.front().value<PastSnapshot>().searched <= PastJobs::Stretch);
    }

    // In groups what has gone does not come again. The pieces of a search are of any size: here one is of 100 jobs.
    void aSearchIsFullBeforeAPageTakesThePlaceOfAnother()
    {
        Fixture f;
        f.run(f.cluster.fill());
        const int older = 1'500;
        history::ArchiveBatch batch{"default", {1ms}, {}};
        for (int i = 0; i < older + int(PastJobs::Stretch) + 4'600; ++i) {
            const bool fits = i < older || i >= older + int(PastJobs::Stretch);
            batch.entries.push_back({"default",
                                     jobs::FinalRecord::of({"default", 100 + i},
                                                           test::SampleCluster::spec({fits ? u"rare"_qs : u"true"_qs})),
                                     std::chrono::milliseconds(1'700'000'000'000 + i * 1000),
                                     {}});
        }
        f.run(f.past.archive(batch));
        f.open();
        f.search(u"rare"_qs);
        for (int page = 0; page < 20 && f.models.jobs.canFetchMore({}); ++page) {
            f.models.jobs.fetchMore({});
            f.world.runFor(5s);
        }
        QVERIFY(f.models.jobs.isFull());
        QCOMPARE(f.models.jobs.snapshot().pastDropped, 0);
        QVERIFY(f.models.jobs.snapshot().pastRows >= MaxPastRows - 2 * PastJobs::PageRows);
    }

    // It takes no place among the jobs of ZooKeeper.
    void aSelectedJobThatStaysIsOfTheHistory()
    {
        JobModel model;
        JobsSnapshot snapshot;
        snapshot.rows.resize(3);
        for (int row = 0; row < 3; ++row) {
            snapshot.rows[row].id = {"default", row};
            snapshot.rows[row].loaded = true;
            snapshot.rows[row].state = row == 0 ? JobState::Ready : JobState::Succeeded;
        }
        snapshot.ready = 3; // two have no row
        snapshot.ended = snapshot.past = 10;
        snapshot.pastRows = 2;
        model.show(snapshot);
        QCOMPARE(model.notSearched(), 2);
        model.keep({{"default", 2}});
        snapshot.rows.removeLast();
        snapshot.pastRows = 1;
        model.show(snapshot);
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.notSearched(), 2);
    }

    // The line above the table says it, also while no job changes.
    void aModelSaysThatItsViewHasAnotherOrder()
    {
        JobModel model;
        QSignalSpy shown(&model, &JobModel::shown);
        model.setInOrder(true);
        QCOMPARE(shown.size(), 1);
        model.setInOrder(true);
        QCOMPARE(shown.size(), 1);
        model.setInOrder(false);
        QCOMPARE(shown.size(), 2);
    }

    // However long it is.
    void aFilterThatNoEndedJobFitsReadsNoHistory()
    {
        Fixture f;
        f.run(f.cluster.fill());
        f.archiveMany(100, {u"true"_qs});
        f.open();
        QSignalSpy sent(&f.console.past(), &PastJobs::changed);
        f.search(u"--state running"_qs);
        f.console.past().search({u"--state succeeded"_qs, {JobState::Failed}, false});
        f.world.runFor(5s);
        QVERIFY(sent.size() >= 2);
        for (const QVariantList &signal : std::as_const(sent)) {
            const auto past = signal.front().value<PastSnapshot>();
            QCOMPARE(past.searched, 0);
            QVERIFY(!past.hasMore && past.rows.isEmpty());
        }
        f.search({});
        QVERIFY(f.job("default-100"));
    }
};

QTEST_GUILESS_MAIN(PastPagesTest)
#include "past_pages_test.moc"
