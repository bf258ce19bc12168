#include "gui/feeds_fixture.h"
#include "gui/pictures.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "gui/window/main_window.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr auto Fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;
constexpr int First = 1000; // number of the job that ended first

// The window on a cluster whose history is long. A job with a greater number has ended later.
struct Fixture : test::FeedsFixture {
    QTemporaryDir directory;
    history::Location place = history::Location::parse(directory.filePath(u"history.sqlite"_qs));
    history::History past{clusterLoop, place, history::OpenMode::Write};
    MainWindow window{models, console};
    JobPane &pane = *window.findChild<JobPane *>();
    TableView &table = pane.table();
    QScrollBar &bar = *table.verticalScrollBar();
    int count; // of the jobs in the history
    int mostRows = 0; // that the model had

    explicit Fixture(int ended) : count(ended)
    {
        history = [this](const Target &, const QString &) { return place; };
        applyTheme(ThemeChoice::Light);
        run(cluster.fill());
        archive(First, ended);
        QObject::connect(&models.jobs, &JobModel::shown, &models.jobs,
                         [this] { mostRows = std::max(mostRows, models.jobs.rowCount()); });
        window.resize(1400, 900);
        window.show();
        window.connectTo({test::Nowhere, "default"});
        window.showPage(u"jobs"_qs);
        settle(5s);
    }
    void archive(int number, int jobs)
    {
        history::ArchiveBatch batch{"default", {1ms}, {}};
        for (const int end = number + jobs; number < end; ++number) {
            jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
            spec.name = number % 2 ? u"odd"_qs : u"even"_qs;
            batch.entries.push_back(
                {"default", jobs::FinalRecord::of({"past", number}, spec), 1'700'000'000s + number * 1s, {}});
        }
        run(past.archive(batch));
    }
    void settle(std::chrono::milliseconds time = 1s)
    {
        QCoreApplication::processEvents();
        world.runFor(time);
        QCoreApplication::processEvents(); // a view asks for more in a moment
    }
    // Scrolls by some screens at a time until there is no more.
    template <typename Look>
    void scrollDown(const Look &look)
    {
        for (int before = -1; before != bar.value() || models.jobs.canFetchMore({});) {
            before = bar.value();
            bar.setValue(before + 400);
            if (bar.value() == before && models.jobs.canFetchMore({}))
                scrollToLastWalked();
            settle();
            look();
        }
    }
    // More come there. Jobs that the history is not walked to may stand below.
    void scrollToLastWalked()
    {
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            const QModelIndex index = table.model()->index(row, JobModel::Id);
            if (at(index).id == models.jobs.snapshot().pastLast)
                table.scrollTo(index, QAbstractItemView::PositionAtBottom);
        }
    }
    template <typename Look>
    void scrollUp(const Look &look)
    {
        while (bar.value() > 0) {
            bar.setValue(bar.value() - 200);
            settle(500ms);
            look();
        }
    }
    const JobRow &at(const QModelIndex &index) const { return models.jobs.row(table.sourceRow(index)); }
    // The numbers of the jobs of the history that are in sight.
    QList<int> inSight() const
    {
        QList<int> numbers;
        for (QModelIndex index = table.indexAt({0, 0}); index.isValid(); index = table.indexBelow(index)) {
            if (table.visualRect(index).bottom() >= table.viewport()->height())
                break;
            if (at(index).id.queue == "past")
                numbers << at(index).id.number;
        }
        return numbers;
    }
    bool followsEachOther(int step) const
    {
        const QList<int> numbers = inSight();
        for (qsizetype i = 1; i < numbers.size(); ++i) {
            if (numbers[i] != numbers[i - 1] + step)
                return false;
        }
        return true;
    }
    qint64 dropped() const { return models.jobs.snapshot().pastDropped; }
    bool has(int number) const { return models.jobs.find({"past", number}); }
    // Selects the first job of the history that is in sight.
    int selectOne()
    {
        for (QModelIndex index = table.indexAt({0, 0}); index.isValid(); index = table.indexBelow(index)) {
            if (at(index).id.queue == "past") {
                table.setCurrentIndex(index);
                return at(index).id.number;
            }
        }
        return 0;
    }
};

constexpr int Bound = int(MaxPastRows) + 2 * int(PastJobs::PageRows);

} // namespace

// A user scrolls through all of a history that the table does not hold.
class LongScrollTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void scrollingReachesTheLastJobAndTheFirstAgain()
    {
        Fixture f(20'000);
        QAbstractItemModelTester tester(&f.models.jobs, Fatal);
        tester.setUseFetchMore(false);
        QAbstractItemModelTester sorted(f.table.model(), Fatal);
        sorted.setUseFetchMore(false);
        QSet<int> seen;
        bool follows = true;
        const auto look = [&] {
            follows = follows && f.followsEachOther(-1);
            for (int row = 0; row < f.models.jobs.rowCount(); ++row)
                seen.insert(f.models.jobs.row(row).id.number);
        };
        f.scrollDown(look);
        QVERIFY(follows);
        QVERIFY(!f.inSight().isEmpty());
        QCOMPARE(f.inSight().last(), First);
        for (int number = First; number < First + f.count; ++number)
            QVERIFY2(seen.contains(number), qPrintable(QString::number(number)));
        QVERIFY(f.dropped() > 20'000 - Bound);
        f.scrollUp(look);
        QVERIFY(follows);
        QCOMPARE(f.dropped(), 0);
        QVERIFY(f.inSight().contains(First + f.count - 1)); // the latest
        QVERIFY2(f.mostRows <= Bound, qPrintable(QString::number(f.mostRows)));
        f.bar.setValue(f.bar.maximum());
        f.settle();
        QVERIFY(f.followsEachOther(-1)); // what was dropped at the end is read again
    }

    void whatIsInSightStaysThereWhenAPageComes()
    {
        Fixture f(7'000);
        while (f.models.jobs.rowCount() < MaxPastRows) {
            f.bar.setValue(f.bar.maximum());
            f.settle();
        }
        f.settle(3s);
        const qint64 dropped = f.dropped();
        f.bar.setValue(f.bar.maximum());
        const QList<int> sight = f.inSight();
        f.settle(3s);
        QVERIFY(f.dropped() > dropped);
        QCOMPARE(f.inSight(), sight);
    }

    void homeLeadsToTheFirst()
    {
        Fixture f(12'000);
        f.table.setFocus();
        f.scrollDown([] {});
        f.selectOne();
        QVERIFY(f.dropped() > 0);
        QTest::keyClick(&f.table, Qt::Key_Home);
        f.settle(3s);
        QCOMPARE(f.dropped(), 0);
        QCOMPARE(f.bar.value(), 0);
        QCOMPARE(f.table.currentIndex().row(), 0);
        QVERIFY(f.inSight().contains(First + f.count - 1));
        QVERIFY(f.followsEachOther(-1));
        QVERIFY(f.models.jobs.rowCount() < 2 * PastJobs::PageRows);
    }

    void aSelectedJobStaysWhileItIsSelected()
    {
        Fixture f(12'000);
        f.bar.setValue(100);
        f.settle();
        const int selected = f.selectOne();
        QVERIFY(selected > 0);
        f.scrollDown([] {});
        QVERIFY(f.dropped() > 6'000);
        test::pictureOf(f.window, u"jobs-far"_qs);
        QVERIFY(f.has(selected));
        QVERIFY(!f.has(selected - 1));
        QCOMPARE(f.pane.selectedEnded(), (QList<jobs::JobId>{{"past", selected}}));
        f.table.clearSelection();
        f.table.setCurrentIndex({});
        f.archive(90'000, 1); // any change
        f.console.past().lookAgain();
        f.settle(10s);
        QVERIFY(!f.has(selected));
    }

    // The next job would stand anywhere in the table.
    void inNoOrderOfTheHistoryTheTableStopsAtItsBound()
    {
        Fixture f(7'000);
        f.table.sortByColumn(JobModel::Command, Qt::AscendingOrder);
        f.settle(3s);
        f.scrollDown([] {});
        QCOMPARE(f.dropped(), 0);
        QVERIFY(f.models.jobs.isFull());
        QCOMPARE(f.models.jobs.snapshot().pastRows, MaxPastRows);
        f.table.sortByColumn(JobModel::Id, Qt::AscendingOrder);
        f.settle(3s);
        f.pane.group(Grouping::Name);
        f.scrollDown([] {});
        QCOMPARE(f.dropped(), 0);
        QVERIFY(f.models.jobs.isFull());
        f.pane.group(Grouping::None);
        f.scrollDown([] {});
        QCOMPARE(f.inSight().last(), First + f.count - 1);
    }

    void theJobsThatFitAFilterAreScrolledThroughInAnOrder()
    {
        Fixture f(13'000);
        f.table.sortByColumn(JobModel::Id, Qt::AscendingOrder);
        f.pane.setSearch({u"--name odd"_qs, {}, false});
        f.settle(10s);
        bool follows = true;
        const auto look = [&] { follows = follows && f.followsEachOther(2); };
        f.scrollDown(look);
        QVERIFY(follows);
        QCOMPARE(f.inSight().last(), First + f.count - 1);
        QVERIFY(f.dropped() > 0);
        QVERIFY2(f.mostRows <= Bound, qPrintable(QString::number(f.mostRows)));
    }

    // It has no place in the table.
    void theHistoryIsNotReadOnForAHiddenColumn()
    {
        Fixture f(7'000);
        f.table.chooseColumn(JobModel::State, false);
        f.settle(20s);
        QCOMPARE(f.dropped(), 0);
        QVERIFY2(f.models.jobs.rowCount() < 2'000, qPrintable(QString::number(f.models.jobs.rowCount())));
        f.scrollDown([] {});
        QCOMPARE(f.inSight().last(), First);
    }

    // Each page would come above them.
    void noMoreComeWhileUnfinishedJobsAloneAreInSight()
    {
        Fixture f(9'000);
        for (int i = 0; i < 100; ++i)
            f.run(f.cluster.addJob(test::SampleCluster::spec({u"true"_qs})));
        f.table.sortByColumn(JobModel::Since, Qt::AscendingOrder);
        f.settle(3s);
        for (int page = 0; page < 20 && f.dropped() == 0; ++page) {
            f.scrollToLastWalked();
            f.settle();
        }
        const qint64 dropped = f.dropped();
        QVERIFY(dropped > 0);
        f.bar.setValue(f.bar.maximum());
        f.settle(10s);
        QVERIFY(f.inSight().isEmpty());
        QCOMPARE(f.dropped(), dropped);
        f.scrollToLastWalked();
        f.settle();
        QVERIFY(f.dropped() > dropped);
    }

    // More than are shown at a time when the user comes back.
    void whatWasArchivedMeanwhileIsThereOnTheWayBack()
    {
        Fixture f(8'000);
        f.scrollDown([] {});
        f.archive(First + f.count, 2'300);
        f.count += 2'300;
        f.console.past().lookAgain();
        const QList<int> sight = f.inSight();
        f.settle(10s);
        QCOMPARE(f.inSight(), sight);
        bool follows = true;
        f.scrollUp([&] { follows = follows && f.followsEachOther(-1); });
        QVERIFY(follows);
        QCOMPARE(f.dropped(), 0);
        QVERIFY(f.inSight().contains(First + f.count - 1));
        QVERIFY2(f.mostRows <= Bound, qPrintable(QString::number(f.mostRows)));
    }
};

QTEST_MAIN(LongScrollTest)
#include "long_scroll_test.moc"
