#include "gui/feeds_fixture.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "gui/window/main_window.h"

#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr int Ended = 1200; // more than two pages

QString nameOf(int place)
{
    return u"!%1"_qs.arg(place, 4, 10, QChar(u'0')); // before the names of all other jobs
}

// The window on a cluster whose history has jobs of the names 0 to 1199, archived in no order.
struct Fixture : test::FeedsFixture {
    QTemporaryDir directory;
    history::Location place = history::Location::parse(directory.filePath(u"history.sqlite"_qs));
    history::History past{clusterLoop, place, history::OpenMode::Write};
    MainWindow window{models, console};
    TableView &table = window.findChild<JobPane *>()->table();

    explicit Fixture(int inDone = 0)
    {
        history = [this](const Target &, const QString &) { return place; };
        applyTheme(ThemeChoice::Light);
        run(cluster.fill());
        QStringList names;
        for (int i = 0; i < Ended; ++i)
            names << nameOf(i);
        std::shuffle(names.begin(), names.end(), std::mt19937(7));
        archive(1000, names);
        if (inDone > 0)
            fillDone(inDone);
        window.resize(1400, 900);
        window.show();
        window.connectTo({test::Nowhere, "default"});
        window.showPage(u"jobs"_qs);
        world.runFor(5s);
    }
    // Jobs that have ended and are not archived yet. By their names, they are behind those of the history.
    void fillDone(int count)
    {
        for (int number = 5000; number < 5000 + count; ++number) {
            const jobs::JobId id{"default", number};
            const auto record = jobs::FinalRecord::of(id, test::SampleCluster::spec({u"true"_qs}));
            const auto created = writer->create(cluster.layout().done(id), record.encode());
        }
    }
    void archive(int number, const QStringList &names) { archive(number, names, 1'700'000'000s + number * 1s); }
    // Each ends a second after the one before it.
    void archive(int number, const QStringList &names, std::chrono::milliseconds end)
    {
        history::ArchiveBatch batch{"default", {1ms}, {}};
        for (const QString &name : names) {
            jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
            spec.name = name;
            batch.entries.push_back({"default", jobs::FinalRecord::of({"default", number}, spec), end, {}});
            batch.entries.back().record.worker = u"w%1"_qs.arg(name.right(2));
            ++number;
            end += 1s;
        }
        run(past.archive(batch));
    }
    void click(int column)
    {
        clickAndGoOn(column);
        world.runFor(5s);
    }
    // What was asked for is still on its way.
    void clickAndGoOn(int column)
    {
        const QHeaderView &header = *table.header();
        const QPoint middle(header.sectionViewportPosition(column) + header.sectionSize(column) / 2,
                            header.height() / 2);
        QTest::mouseClick(header.viewport(), Qt::LeftButton, {}, middle);
    }
    // To the last job of the history. Behind it stand those that have not ended, by their names.
    void scrollToEnd()
    {
        const QAbstractItemModel &rows = *table.model();
        int last = rows.rowCount() - 1;
        while (last > 0 && !rows.index(last, JobModel::Name).data().toString().startsWith(u'!'))
            --last;
        table.scrollTo(rows.index(last, JobModel::State), QAbstractItemView::PositionAtBottom);
        QCoreApplication::processEvents();
        world.runFor(5s);
    }
    // The column of the jobs of the history, as the table shows them.
    QStringList shown(JobModel::Column column = JobModel::Name) const
    {
        QStringList texts;
        const QAbstractItemModel &rows = *table.model();
        for (int row = 0; row < rows.rowCount(); ++row) {
            if (rows.index(row, JobModel::Name).data().toString().startsWith(u'!'))
                texts << rows.index(row, column).data().toString();
        }
        return texts;
    }
    bool says(const QString &text) const
    {
        const QList<QLabel *> labels = window.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return label->text().contains(text); });
    }
};

QStringList namesOf(int first, int count)
{
    QStringList names;
    for (int i = first; i < first + count; ++i)
        names << nameOf(i);
    return names;
}

} // namespace

// A click on the header of the jobs sorts the whole history, not the rows that are loaded.
class SortingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aClickSortsTheWholeHistory()
    {
        Fixture f;
        QVERIFY(f.shown(JobModel::Id).contains(u"default-2199"_qs)); // the newest alone
        QVERIFY(!f.shown(JobModel::Id).contains(u"default-1000"_qs));
        f.click(JobModel::Name);
        QCOMPARE(f.shown(), namesOf(0, int(PastJobs::PageRows)));
        QCOMPARE(f.table.model()->index(0, JobModel::Name).data().toString(), nameOf(0));
        f.scrollToEnd();
        QCOMPARE(f.shown(), namesOf(0, 2 * int(PastJobs::PageRows)));
        f.click(JobModel::Name); // the other way round
        QStringList last = namesOf(Ended - int(PastJobs::PageRows), int(PastJobs::PageRows));
        std::reverse(last.begin(), last.end());
        QCOMPARE(f.shown().mid(0, PastJobs::PageRows), last);
    }

    // The page of the order before is dropped.
    void aClickWhileAPageIsReadDoesNotEndTheReading()
    {
        Fixture f;
        f.click(JobModel::Worker);
        QCOMPARE(f.shown().size(), PastJobs::PageRows); // as many as the first page of the next order
        QVERIFY(f.models.jobs.canFetchMore({}));
        f.models.jobs.fetchMore({});
        f.click(JobModel::Name);
        QCOMPARE(f.shown(), namesOf(0, int(PastJobs::PageRows)));
        f.scrollToEnd();
        QCOMPARE(f.shown(), namesOf(0, 2 * int(PastJobs::PageRows)));
    }

    // The rows that it stands at the end of are those of the order before.
    void aScrollBeforeTheFirstPageOfANewOrderDoesNotEndTheReading()
    {
        Fixture f;
        f.click(JobModel::Worker);
        QCOMPARE(f.shown().size(), PastJobs::PageRows);
        f.clickAndGoOn(JobModel::Name);
        QVERIFY(f.models.jobs.canFetchMore({}));
        f.models.jobs.fetchMore({});
        f.world.runFor(5s);
        QCOMPARE(f.shown(), namesOf(0, int(PastJobs::PageRows)));
        f.scrollToEnd();
        QCOMPARE(f.shown(), namesOf(0, 2 * int(PastJobs::PageRows)));
    }

    // There are more jobs in done/ than the table shows. All that the history has sent have their rows still.
    void theOrderOutlivesASession()
    {
        Fixture f(int(JobTable::MaxRows) + 100);
        f.click(JobModel::Name);
        QCOMPARE(f.shown(), namesOf(0, int(PastJobs::PageRows)));
        f.console.close();
        f.world.runFor(5s);
        QVERIFY(f.shown().isEmpty());
        QSignalSpy sent(&f.console.past(), &PastJobs::changed);
        f.window.connectTo({test::Nowhere, "default"});
        f.world.runFor(10s);
        QCOMPARE(f.shown().mid(0, PastJobs::PageRows), namesOf(0, int(PastJobs::PageRows)));
        QCOMPARE(f.shown().size(), sent.last().front().value<PastSnapshot>().rows.size());
    }

    // By state, those that have ended stand by their ends, as in the history. Their numbers are in another order.
    void aFurtherPageComesBehindTheOneBeforeIt()
    {
        Fixture f;
        f.archive(8000, QStringList(400, u"!early"_qs), 1'600'000'000s);
        f.archive(90, {u"!late"_qs}, 1'750'000'000s);
        f.console.past().lookAgain();
        f.world.runFor(10s);
        QCOMPARE(f.shown().first(), u"!late"_qs);
        for (int page = 2; page <= 4; ++page) {
            const QStringList before = f.shown(JobModel::Id);
            f.scrollToEnd();
            QCOMPARE(f.shown(JobModel::Id).mid(0, before.size()), before);
        }
        QCOMPARE(f.shown().size(), Ended + 401);
        QCOMPARE(f.shown().last(), u"!early"_qs);
    }

    void otherColumnsSortItToo()
    {
        Fixture f;
        f.click(JobModel::Worker);
        QStringList workers = f.shown(JobModel::Worker);
        QCOMPARE(workers.size(), PastJobs::PageRows);
        QCOMPARE(workers.first(), u"w00"_qs);
        QCOMPARE(workers.last(), u"w41"_qs); // twelve jobs ran on each
        QVERIFY(std::is_sorted(workers.begin(), workers.end()));
        f.click(JobModel::Id);
        QCOMPARE(f.shown(JobModel::Id).first(), u"default-1000"_qs);
        QCOMPARE(f.shown(JobModel::Id).last(), u"default-1499"_qs);
        f.click(JobModel::Since);
        QCOMPARE(f.shown(JobModel::Id).first(), u"default-1000"_qs); // the oldest
        f.click(JobModel::State);
        QCOMPARE(f.shown(JobModel::Id).first(), u"default-2199"_qs); // as at the beginning
    }

    void whatIsArchivedMeanwhileIsThereOnce()
    {
        Fixture f;
        f.click(JobModel::Name);
        f.archive(9000, {u"!0100 new"_qs, u"!1100 new"_qs}); // before and behind the place that was read to
        f.console.past().lookAgain();
        f.world.runFor(10s);
        QCOMPARE(f.shown().count(u"!0100 new"_qs), 1);
        QCOMPARE(f.shown().count(u"!1100 new"_qs), 1);
        QVERIFY(f.shown().size() < 2 * PastJobs::PageRows);
        f.archive(9100, {u"!0200 new"_qs, u"!0900 new"_qs});
        f.scrollToEnd();
        f.console.past().lookAgain();
        f.world.runFor(10s);
        f.scrollToEnd();
        QStringList all =
            namesOf(0, Ended) + QStringList{u"!0100 new"_qs, u"!1100 new"_qs, u"!0200 new"_qs, u"!0900 new"_qs};
        std::sort(all.begin(), all.end());
        QCOMPARE(f.shown(), all);
    }

    // The history has the result of both attempts.
    void ofTwoAttemptsTheLaterOneIsShown()
    {
        Fixture f;
        f.archive(9000, {u"!0000 first"_qs});
        history::ArchiveBatch again{"default", {1ms}, {}};
        jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
        spec.name = u"!0001 second"_qs;
        again.entries.push_back({"default",
                                 jobs::FinalRecord::of({"default", 9000}, spec),
                                 std::chrono::milliseconds(1'750'000'000'000),
                                 {}});
        again.entries.back().record.attempts.claimVersion = 7;
        f.run(f.past.archive(again));
        f.click(JobModel::Name);
        QVERIFY(f.shown().contains(u"!0001 second"_qs));
        QVERIFY(!f.shown().contains(u"!0000 first"_qs));
    }

    void aColumnThatSortsTheLoadedRowsAloneSaysSo()
    {
        Fixture f;
        const QString words = u"in the table are sorted"_qs;
        QVERIFY(!f.says(words));
        f.click(JobModel::Command);
        QVERIFY(f.says(words));
        f.click(JobModel::Name);
        QVERIFY(!f.says(words));
    }

    void aHistoryThatFailsIsSaidAboveItsRows()
    {
        Fixture f;
        const QString words = u"the history cannot be read now"_qs;
        const QStringList before = f.shown();
        QVERIFY(!f.says(words) && !before.isEmpty());
        for (const QString &part : {u""_qs, u"-wal"_qs, u"-shm"_qs})
            QVERIFY(QFile::rename(f.place.file + part, f.place.file + u".away"_qs + part));
        QFile other(f.place.file);
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("no database") > 0);
        other.close();
        f.console.past().lookAgain();
        f.world.runFor(5s);
        QVERIFY(f.says(words));
        QCOMPARE(f.shown(), before);
    }

    // With the columns, at the next start.
    void theOrderThatComesBackSortsTheHistory()
    {
        JobModel model;
        JobPane before(model);
        before.table().sortByColumn(JobModel::Worker, Qt::DescendingOrder);
        JobPane after(model);
        QSignalSpy wanted(&after, &JobPane::orderWanted);
        after.table().restoreColumns(before.table().saveColumns());
        const JobOrder order{JobOrder::By::Worker, true};
        QVERIFY(!wanted.isEmpty());
        QCOMPARE(wanted.last().front().value<JobOrder>(), order);
    }
};

QTEST_MAIN(SortingTest)
#include "sorting_test.moc"
