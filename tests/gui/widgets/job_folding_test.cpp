#include "gui/models/job_filter.h"
#include "gui/models/job_model.h"
#include "gui/pictures.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using jobs::JobId;
using jobs::JobState;

namespace {

JobRow job(qint32 number, JobState state, const QString &name, const QString &progress = {})
{
    JobRow row;
    row.id = {"default", number};
    row.state = state;
    row.loaded = true;
    row.name = name;
    row.progress = progress;
    return row;
}

JobRow task(qint32 array, qint32 index, JobState state)
{
    JobRow row = job(array, state, u"sweep"_qs);
    row.id.task = index;
    return row;
}

struct Fixture {
    JobModel model;
    JobPane pane{model};
    QAbstractItemModelTester tester{pane.table().model(), QAbstractItemModelTester::FailureReportingMode::Fatal};
    JobsSnapshot snapshot;

    Fixture()
    {
        pane.resize(1000, 400);
        pane.show();
        snapshot.clusterExists = true;
        snapshot.rows = {job(1, JobState::Running, u"first"_qs),
                         job(4, JobState::Running, u"sweep"_qs, u"2/5, 1 failed"_qs),
                         job(9, JobState::Running, u"sweep"_qs, u"1/2"_qs),
                         task(4, 1, JobState::Succeeded),
                         task(9, 1, JobState::Running),
                         task(4, 2, JobState::Running),
                         task(4, 3, JobState::Failed),
                         task(9, 2, JobState::Ready),
                         job(12, JobState::Ready, u"last"_qs)};
        show();
        pane.table().sortByColumn(JobModel::Id, Qt::AscendingOrder);
    }
    void show()
    {
        snapshot.running = snapshot.rows.size();
        model.show(snapshot);
    }
    QModelIndex indexOf(const QString &id)
    {
        for (int row = 0; row < pane.table().model()->rowCount(); ++row) {
            const QModelIndex index = pane.table().model()->index(row, JobModel::Id);
            if (index.data().toString() == id)
                return index;
        }
        return {};
    }
    QString shown()
    {
        QStringList ids;
        for (int row = 0; row < pane.table().model()->rowCount(); ++row)
            ids << pane.table().model()->index(row, JobModel::Id).data().toString().mid(8);
        return ids.join(u' ');
    }
    void press(const QString &id, Qt::Key key)
    {
        pane.table().setCurrentIndex(indexOf(id));
        QTest::keyClick(&pane.table(), key);
    }
};

} // namespace

// Arrays fold: 40 tasks buried everything else.
class JobFoldingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tasksAreFoldedIntoTheirArray()
    {
        Fixture f;
        QCOMPARE(f.shown(), u"1 4 9 12"_qs);
        QCOMPARE(f.indexOf(u"default-4"_qs).siblingAtColumn(JobModel::State).data().toString(), u"Running 2/5"_qs);
        f.press(u"default-4"_qs, Qt::Key_Right);
        QCOMPARE(f.shown(), u"1 4 4.3 4.1 4.2 9 12"_qs); // the one that failed first
        f.press(u"default-1"_qs, Qt::Key_Right); // is no array
        f.press(u"default-9"_qs, Qt::Key_Right);
        QCOMPARE(f.shown(), u"1 4 4.3 4.1 4.2 9 9.1 9.2 12"_qs);
        f.press(u"default-4.2"_qs, Qt::Key_Left); // closes its array, and goes there
        QCOMPARE(f.shown(), u"1 4 9 9.1 9.2 12"_qs);
        QCOMPARE(f.pane.table().currentIndex().siblingAtColumn(JobModel::Id).data().toString(), u"default-4"_qs);
    }

    void tasksStayBelowTheirArrayInEachOrder()
    {
        Fixture f;
        f.press(u"default-4"_qs, Qt::Key_Right);
        f.press(u"default-9"_qs, Qt::Key_Right);
        for (const int column : {JobModel::State, JobModel::Id, JobModel::Name, JobModel::Worker, JobModel::Exit}) {
            for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
                f.pane.table().sortByColumn(column, order);
                QVERIFY2(f.shown().contains(u"4 4.3 4.1 4.2"_qs), qPrintable(f.shown()));
                QVERIFY2(f.shown().contains(u"9 9.1 9.2"_qs), qPrintable(f.shown()));
            }
        }
    }

    void followsWhatChanges()
    {
        Fixture f;
        f.press(u"default-4"_qs, Qt::Key_Right);
        f.snapshot.rows[5].state = JobState::Failed; // the task 2
        f.snapshot.rows.append(task(4, 5, JobState::Ready));
        f.snapshot.rows.removeFirst();
        f.show();
        QCOMPARE(f.shown(), u"4 4.2 4.3 4.1 4.5 9 12"_qs);
        f.snapshot.rows.removeIf([](const JobRow &row) { return row.id.array() == JobId{"default", 4}; });
        f.show();
        QCOMPARE(f.shown(), u"9 12"_qs);
    }

    void aFilterChoosesArraysWithTheirTasks()
    {
        Fixture f;
        f.press(u"default-4"_qs, Qt::Key_Right);
        f.pane.findChild<QLineEdit *>()->setText(u"default-4"_qs);
        QCOMPARE(f.shown(), u"4 4.3 4.1 4.2"_qs);
        f.pane.findChild<QLineEdit *>()->setText(u"last"_qs);
        QCOMPARE(f.shown(), u"12"_qs);
    }

    void aClickOnTheArrowOpens()
    {
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            Fixture f;
            const auto arrow = [&] {
                return f.pane.table().visualRect(f.indexOf(u"default-4"_qs)).topLeft() + QPoint(4, 6);
            };
            QTest::mouseClick(f.pane.table().viewport(), Qt::LeftButton, {}, arrow());
            QCOMPARE(f.shown(), u"1 4 4.3 4.1 4.2 9 12"_qs);
            f.pane.table().setCurrentIndex(f.indexOf(u"default-4.3"_qs));
            test::pictureOf(f.pane, theme == ThemeChoice::Dark ? u"folding-dark"_qs : u"folding-light"_qs);
            QTest::mouseClick(f.pane.table().viewport(), Qt::LeftButton, {}, arrow());
            QCOMPARE(f.shown(), u"1 4 9 12"_qs);
        }
        applyTheme(ThemeChoice::Light);
    }

    // Of what the filter leaves, and of an open array its tasks that have ended.
    void allEndedJobsOfTheTableAreSubmittedAgain()
    {
        Fixture f;
        f.snapshot.rows.append(job(20, JobState::Failed, u"etl"_qs));
        f.snapshot.rows.append(job(21, JobState::Succeeded, u"etl"_qs));
        f.snapshot.rows.append(job(22, JobState::Cancelled, u"other"_qs));
        f.show();
        QSignalSpy wanted(&f.pane, &JobPane::repeatWanted);
        f.pane.findChild<QLineEdit *>()->setText(u"first"_qs);
        f.pane.repeatAllAction()->trigger();
        QCOMPARE(wanted.size(), 0); // it runs
        f.pane.findChild<QLineEdit *>()->setText(u"etl"_qs);
        f.pane.repeatAllAction()->trigger();
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].value<QList<JobId>>(), (QList<JobId>{{"default", 20}, {"default", 21}}));
        f.pane.findChild<QLineEdit *>()->setText(u"default-4"_qs);
        f.press(u"default-4"_qs, Qt::Key_Right);
        f.pane.repeatAllAction()->trigger();
        QCOMPARE(wanted[1][0].value<QList<JobId>>(), (QList<JobId>{{"default", 4, 3}, {"default", 4, 1}}));
    }

    void theActionOpensAndCloses()
    {
        Fixture f;
        f.pane.table().setCurrentIndex(f.indexOf(u"default-9"_qs));
        QVERIFY(f.pane.foldAction()->isEnabled());
        f.pane.foldAction()->trigger();
        QCOMPARE(f.shown(), u"1 4 9 9.1 9.2 12"_qs);
        f.pane.foldAction()->trigger();
        QCOMPARE(f.shown(), u"1 4 9 12"_qs);
        f.pane.table().setCurrentIndex(f.indexOf(u"default-12"_qs));
        QVERIFY(!f.pane.foldAction()->isEnabled());
    }
};

QTEST_MAIN(JobFoldingTest)
#include "job_folding_test.moc"
