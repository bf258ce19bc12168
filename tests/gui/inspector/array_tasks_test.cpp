#include "gui/feeds/past_fixture.h"
#include "gui/inspector/array_tasks.h"
#include "gui/inspector/inspector.h"
#include "gui/inspector/job_panel.h"
#include "gui/inspector/job_panel_fixture.h"
#include "gui/inspector/task_grid.h"
#include "gui/inspector/task_mark.h"
#include "gui/pictures.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/theme.h"
#include "gui/window/main_window.h"
#include "history/database.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QComboBox>
#include <QPainter>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::ArrayIndices;
using jobs::JobId;
using jobs::JobState;

namespace {

const JobId Array{"default", 42};

JobId task(qint32 index)
{
    return {"default", 42, index};
}

JobRow rowOf(const JobId &id, JobState state)
{
    JobRow row;
    row.id = id;
    row.state = state;
    row.loaded = true;
    row.worker = u"engine-1"_qs;
    if (state == JobState::Failed)
        row.exitCode = 3;
    return row;
}

// 10, 20, .. 100: five have ended of which two have failed and one was cancelled, and two are open.
jobs::JobView halfDone()
{
    jobs::JobView job = test::running();
    job.claim.reset();
    job.spec->array = ArrayIndices{10, 100, 10};
    job.progress.emplace();
    job.progress->expand(7, 10);
    const std::tuple<qint32, bool, int> ended[] = {
        {0, false, 0}, {1, false, 3}, {2, true, 0}, {3, false, 0}, {4, false, 3}};
    for (const auto &[place, cancelled, code] : ended)
        job.progress->count(place, cancelled, code);
    return job;
}

struct Model {
    ArrayModel model{Array};
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
    jobs::JobView job = halfDone();
    QList<JobRow> table{};

    void show() { model.show(job, *job.spec->array, table); }
    // "20 failed, 50 failed"
    QString cells() const
    {
        QStringList cells;
        for (int row = 0; row < model.rowCount(); ++row)
            cells << model.index(row).data().toString() + u' '
                    + taskStateText(TaskState(model.index(row).data(ArrayModel::StateRole).toInt()));
        return cells.join(u", "_qs);
    }
};

// A window on a cluster with an array of 60 tasks: two have failed and one was cancelled, which the history has; one
// runs.
struct Window : test::PastFixture {
    MainWindow window{models, console};
    JobId array;
    zk::Path node;
    jobs::ArrayProgress progress;

    Window()
    {
        applyTheme(ThemeChoice::Light);
        run(cluster.fill());
        jobs::JobSpec spec = test::SampleCluster::spec({u"sweep"_qs});
        spec.name = u"sweep"_qs;
        spec.array = ArrayIndices{1, 60};
        array = run(cluster.addJob(spec));
        node = cluster.layout().job(array.queue, {jobs::QueueEntry::Class::Array, spec.priority, array.number});
        progress.begunAt = 1'760'000'000s;
        progress.expand(40, 60);
        for (int at = 0; at < 20; ++at)
            progress.count(at, at == 7, at == 4 || at == 11 ? 2 : 0);
        for (const int index : {5, 12})
            addEnded(index, jobs::FinalRecord::Outcome::Exited, 2);
        addEnded(8, jobs::FinalRecord::Outcome::Cancelled, 0);
        write();
        const jobs::QueueEntry entry{jobs::QueueEntry::Class::Ready, spec.priority, array.number, 21};
        const jobs::Claim claim{u"worker-1"_qs, {1, 0}, entry.name(), false};
        zk::Transaction begun;
        begun.create(cluster.layout().job(array.queue, entry), jobs::taskOf(server.tree().find(node)->data, 21))
            .create(cluster.layout().claim(entry.idIn(array.queue)), claim.encode(), zk::CreateMode::Ephemeral);
        run(commit(begun)).require();
        window.resize(1200, 720);
        window.show();
        window.connectTo({test::Nowhere, "default"});
        world.runFor(5s);
        window.showPage(u"jobs"_qs);
    }

    async::Task<zk::Answer<zk::Committed>> commit(zk::Transaction transaction)
    {
        zk::Answer<zk::Committed> answer = co_await writer->commit(transaction);
        co_return answer;
    }
    void write()
    {
        zk::Transaction change;
        change.set(node, progress.mergedInto(server.tree().find(node)->data));
        run(commit(change)).require();
    }
    void addEnded(qint32 index, jobs::FinalRecord::Outcome outcome, int code)
    {
        jobs::FinalRecord record =
            jobs::FinalRecord::of({array.queue, array.number, index}, test::SampleCluster::spec({u"sweep"_qs}));
        record.outcome = outcome;
        record.code = code;
        record.worker = u"worker-2"_qs;
        record.startedAt = 1'760'000'001s;
        record.finishedAt = 1'760'000'003s;
        add(record);
    }
    Inspector &inspector() { return *window.findChild<Inspector *>(); }
    ArrayTasks *tasks() { return window.findChild<ArrayTasks *>(); }
    TaskGrid &grid() { return tasks()->grid(); }
    void open()
    {
        Q_EMIT window.findChild<JobPane *>()->detailsWanted(array);
        world.runFor(2s);
    }
    QString cell(int row) { return grid().model()->index(row, 0).data(Qt::AccessibleTextRole).toString(); }
};

} // namespace

// An array opens as a grid of its tasks, with those first that have failed.
class ArrayTasksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knowsWhatTheArraySays()
    {
        Model f;
        QCOMPARE(f.model.rowCount(), 0);
        f.show();
        f.model.setOrder(ArrayModel::Order::ByIndex);
        QVERIFY(f.model.wantsEnded());
        QCOMPARE(f.cells(),
                 u"10 ended, 20 ended, 30 ended, 40 ended, 50 ended, 60 waiting, 70 waiting, 80 to come, "
                 "90 to come, 100 to come"_qs);
        f.model.noteAsked();
        f.model.showEnded({rowOf(task(20), JobState::Failed), rowOf(task(30), JobState::Cancelled)});
        QVERIFY(!f.model.wantsEnded()); // the other one is nowhere any more
        QCOMPARE(f.model.count(TaskState::Ended), 3);
        f.model.showEnded({rowOf(task(20), JobState::Failed), rowOf(task(30), JobState::Cancelled),
                           rowOf(task(50), JobState::Failed), rowOf(task(55), JobState::Failed)}); // 55 is no task
        f.table = {rowOf(task(60), JobState::Running), rowOf({"default", 43, 70}, JobState::Running)};
        f.show();
        QCOMPARE(f.cells(),
                 u"10 succeeded, 20 failed, 30 cancelled, 40 succeeded, 50 failed, 60 running, 70 waiting, "
                 "80 to come, 90 to come, 100 to come"_qs);
        f.model.setOrder(ArrayModel::Order::FailedFirst);
        QCOMPARE(f.cells(),
                 u"20 failed, 50 failed, 30 cancelled, 60 running, 70 waiting, 80 to come, 90 to come, "
                 "100 to come, 10 succeeded, 40 succeeded"_qs);
        for (const int role : {int(Qt::ToolTipRole), int(Qt::AccessibleDescriptionRole)})
            QVERIFY(f.model.index(0).data(role).toString().contains(u"exit code 3"_qs));
        f.job.progress->count(5, false, 1); // one more has failed
        f.show();
        QVERIFY(f.model.wantsEnded());
        f.model.noteAsked();
        f.job.progress->count(6, false, 1); // and another one while the question was under way
        f.show();
        f.model.showEnded({rowOf(task(20), JobState::Failed)});
        QVERIFY(f.model.wantsEnded());
    }

    void theCurrentTaskStaysSo()
    {
        Model f;
        f.show();
        const QPersistentModelIndex current(f.model.index(9));
        QCOMPARE(current.data().toString(), u"50"_qs);
        f.model.showEnded({rowOf(task(50), JobState::Failed)});
        QCOMPARE(current.data().toString(), u"50"_qs);
        QCOMPARE(current.row(), 0);
        f.model.setOrder(ArrayModel::Order::ByIndex);
        QCOMPARE(current.data().toString(), u"50"_qs);
        QCOMPARE(current.row(), 4);
    }

    // Its record counts the cancelled tasks in words. The ones that the answer lacks were shown as succeeded.
    void anArrayThatHasEnded()
    {
        Model f;
        f.job = test::failed();
        f.job.spec = halfDone().spec;
        f.job.record->failedTasks = 1;
        f.job.record->reason = u"10 tasks: 7 ok, 1 failed, 2 cancelled"_qs;
        f.job.record->neverMade.append(9);
        f.show();
        QVERIFY(f.model.wantsEnded());
        QCOMPARE(f.model.count(TaskState::Succeeded), 0);
        f.model.noteAsked();
        f.model.showEnded({rowOf(task(20), JobState::Failed)});
        QVERIFY(!f.model.wantsEnded());
        QCOMPARE(f.model.count(TaskState::Succeeded), 0);
        f.model.showEnded({rowOf(task(20), JobState::Failed), rowOf(task(30), JobState::Cancelled)});
        QCOMPARE(f.model.count(TaskState::Failed), 1);
        QCOMPARE(f.model.count(TaskState::Cancelled), 2);
        QCOMPARE(f.model.count(TaskState::Succeeded), 7);

        Model cancelled;
        cancelled.job = f.job;
        cancelled.job.state = JobState::Cancelled;
        cancelled.show();
        cancelled.model.showEnded({rowOf(task(20), JobState::Failed)});
        QCOMPARE(cancelled.model.count(TaskState::Succeeded), 0); // old records do not name all that were cancelled
        QCOMPARE(cancelled.model.count(TaskState::Ended), 8);
    }

    void tenThousandTasksAndMore()
    {
        Model f;
        f.job.spec->array = ArrayIndices{1, 10'000};
        f.job.progress.emplace();
        f.job.progress->expand(9000, 10'000);
        QList<JobRow> failed;
        for (int place = 0; place < 8000; ++place) {
            f.job.progress->count(place, false, place % 10 == 9 ? 1 : 0);
            if (place % 10 == 9)
                failed << rowOf(task(place + 1), JobState::Failed);
        }
        f.show();
        f.model.showEnded(failed);
        QCOMPARE(f.model.rowCount(), 10'000);
        QCOMPARE(f.model.index(799).data().toString(), u"8000"_qs);
        QCOMPARE(f.model.index(800).data(ArrayModel::StateRole).toInt(), int(TaskState::Waiting));
        QCOMPARE(f.model.count(TaskState::Succeeded), 7200);

        f.job.spec->array = ArrayIndices{1, 1'000'000};
        f.show();
        QCOMPARE(f.model.rowCount(), ArrayModel::MaxRows);
        QCOMPARE(f.model.count(), 1'000'000);
        QCOMPARE(f.model.index(799).data().toString(), u"8000"_qs);
    }

    // Not by its colour alone: in black and white no two are alike.
    void eachStateHasItsOwnSign()
    {
        QList<QList<bool>> marks;
        for (int state = 0; state < TaskStates; ++state) {
            QImage mark(16, 16, QImage::Format_RGB32);
            mark.fill(Qt::white);
            QPainter painter(&mark);
            paintTaskMark(painter, QRectF(0, 0, 16, 16), TaskState(state), QPalette(Qt::white));
            painter.end();
            marks.append(QList<bool>());
            for (int i = 0; i < 16 * 16; ++i)
                marks.back().append(qGray(mark.pixel(i % 16, i / 16)) > 160);
        }
        for (int a = 0; a < TaskStates; ++a) {
            for (int b = 0; b < a; ++b) {
                int differing = 0;
                for (int i = 0; i < 16 * 16; ++i)
                    differing += marks[a][i] != marks[b][i] ? 1 : 0;
                QVERIFY2(differing >= 6, qPrintable(u"%1 and %2"_qs.arg(a).arg(b)));
            }
        }
    }

    void anArrayOpensAsAGrid()
    {
        Window f;
        f.open();
        QVERIFY(f.tasks() && f.tasks()->isVisible());
        QCOMPARE(f.grid().accessibleName(), u"Tasks of the array"_qs);
        QCOMPARE(f.grid().model()->rowCount(), 60);
        QCOMPARE(f.cell(0), u"task 5, failed"_qs);
        QCOMPARE(f.cell(1), u"task 12, failed"_qs);
        QCOMPARE(f.cell(2), u"task 8, cancelled"_qs);
        QCOMPARE(f.cell(3), u"task 21, running"_qs);
        QCOMPARE(f.cell(59), u"task 20, succeeded"_qs);
        QAccessibleInterface *const read = QAccessible::queryAccessibleInterface(&f.grid());
        QVERIFY(read && read->childCount() >= 60);
        QCOMPARE(read->child(0)->text(QAccessible::Name), u"task 5, failed"_qs);

        // One more fails, and is looked for a moment later.
        f.addEnded(30, jobs::FinalRecord::Outcome::Exited, 7);
        f.progress.count(29, false, 7);
        f.write();
        f.run(f.cluster.addJob(test::SampleCluster::spec({u"true"_qs}))); // the queue is listed again
        const auto goOn = [&f] {
            f.world.runFor(100ms);
            return f.cell(2);
        };
        QTRY_COMPARE_WITH_TIMEOUT(goOn(), u"task 30, failed"_qs, 30'000);
    }

    // The cells had their question mark, and nothing said why.
    void saysWhyTheEndedTasksAreNotKnown()
    {
        Window f;
        history::Database broken(f.place, history::OpenMode::Write);
        broken.open();
        broken.exec(u"DROP TABLE job"_qs);
        f.open();
        const auto says = [&] {
            f.world.runFor(1s);
            return test::textOf(*f.inspector().job()).contains(u"no such table"_qs);
        };
        QTRY_VERIFY_WITH_TIMEOUT(says(), 30'000);
        QCOMPARE(f.tasks()->model().count(TaskState::Failed), 0);
    }

    // The first cell became the current one, and looked like all others.
    void theKeyboardsPlaceIsSeen()
    {
        Window f;
        f.open();
        f.grid().setFocus(Qt::TabFocusReason);
        const auto cell = [&f] {
            return f.grid().viewport()->grab(f.grid().visualRect(f.grid().model()->index(0, 0)));
        };
        QTRY_VERIFY_WITH_TIMEOUT(f.grid().hasFocus(), 30'000);
        QCOMPARE(f.grid().currentIndex().row(), 0);
        QVERIFY(!f.grid().selectionModel()->hasSelection());
        const QImage with = cell().toImage();
        f.grid().clearFocus();
        QVERIFY(with != cell().toImage());
    }

    void theKeyboardGoesOverTheCells()
    {
        Window f;
        f.open();
        f.grid().setFocus();
        QTest::keyClick(&f.grid(), Qt::Key_Home);
        QCOMPARE(f.grid().currentIndex().row(), 0);
        QTest::keyClick(&f.grid(), Qt::Key_Right);
        QCOMPARE(f.grid().currentIndex().row(), 1);
        QTest::keyClick(&f.grid(), Qt::Key_Down);
        const int below = f.grid().currentIndex().row();
        QVERIFY(below > 5); // a whole line
        QTest::keyClick(&f.grid(), Qt::Key_Up);
        QCOMPARE(f.grid().currentIndex().row(), 1);
        auto *const order = f.tasks()->findChild<QComboBox *>();
        QTest::keyClick(order, Qt::Key_Down);
        QCOMPARE(f.cell(0), u"task 1, succeeded"_qs);
        QCOMPARE(f.grid().currentIndex().data().toString(), u"12"_qs);
        QTest::keyClick(&f.grid(), Qt::Key_Return);
        const QByteArray task = JobId({f.array.queue, f.array.number, 12}).bytes();
        QTRY_COMPARE_WITH_TIMEOUT(f.inspector().entity().name, task, 30'000);
        f.world.runFor(2s);
        QVERIFY(test::textOf(*f.inspector().job()).contains(u"exited with code 2"_qs));
        QVERIFY(f.inspector().isAncestorOf(f.window.focusWidget()));
        QVERIFY(f.window.findChild<JobPane *>()->search().text.isEmpty()); // the page is as it was
    }

    void looksRight()
    {
        Window f;
        f.open();
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            for (const QSize size : {QSize(800, 600), QSize(1200, 720)}) {
                f.window.resize(size);
                f.grid().setCurrentIndex(f.grid().model()->index(1, 0));
                test::pictureOf(f.window, u"array-%1-%2"_qs.arg(int(theme)).arg(size.width()));
                QVERIFY(f.grid().viewport()->height() > 60);
            }
        }
        applyTheme(ThemeChoice::Light);
    }
};

QTEST_MAIN(ArrayTasksTest)
#include "array_tasks_test.moc"
