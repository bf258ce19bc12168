#include "gui/models/worker_model.h"
#include "gui/pages/worker_timeline.h"
#include "gui/pages/workers_page.h"
#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/shell.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "gui/window_fixture.h"
#include "recipes/blocks/participants.h"
#include "text/quantity.h"

#include <QDateTime>
#include <QHeaderView>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr qint64 Minute = 60'000;

JobRow runningOn(const QString &worker, const char *id, qint64 since)
{
    JobRow row;
    row.id = *jobs::JobId::parse(QString::fromLatin1(id));
    row.state = jobs::JobState::Running;
    row.loaded = true;
    row.worker = worker;
    row.attempt = 1;
    row.since = since;
    return row;
}

// The time line of one worker, "w".
struct TimelineFixture {
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    AttemptLog log;
    WorkerModel workers;
    WorkerTimeline timeline{workers, log};
    JobsSnapshot snapshot;

    TimelineFixture()
    {
        WorkerRow worker;
        worker.id = "w";
        workers.show({worker});
        snapshot.clusterExists = true;
        timeline.resize(500, 180);
        timeline.show();
    }

    void begin(const char *id, qint64 since)
    {
        snapshot.rows.append(runningOn(u"w"_qs, id, since));
        log.show(snapshot);
    }
};

// The window on a cluster of several candidates for master.
struct StepDownFixture : test::WindowFixture {
    QAction *depose = window.shown().findChild<ActionRegistry *>()->find(u"worker.depose"_qs);

    StepDownFixture() { window.showPage(u"workers"_qs); }

    ChangeDialog *dialog() { return window.findChild<ChangeDialog *>(); }
    void answerYes()
    {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        depose->trigger();
        QVERIFY(dialog());
        dialog()->accept();
        world.runFor(3s);
    }
    std::vector<recipes::Participant> candidates()
    {
        return run(recipes::participants(*writer, cluster.layout().master()));
    }
    // As another client does.
    void removeMaster()
    {
        const auto removed = writer->remove(candidates().front().fence.path);
        world.runFor(3s);
    }
};

} // namespace

// The page of the workers: above the table a line for each, with what ran there.
class WorkersPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theTableShowsWhatAWorkerOffers()
    {
        WorkerModel model;
        WorkerRow worker;
        worker.id = "w1";
        model.show({worker});
        QVERIFY(!model.hasLabels());
        QCOMPARE(model.index(0, WorkerModel::State).data().toString(), u"Free"_qs);
        QCOMPARE(model.index(0, WorkerModel::Memory).data().toString(), QString()); // it says nothing of it
        worker.info.memory = qint64(8) << 30;
        worker.info.labels = QStringList{u"gpu"_qs, u"ssd"_qs};
        worker.info.queues = QStringList{u"default"_qs, u"nightly"_qs};
        model.show({worker});
        model.showLoads({{u"w1"_qs, {{u"default-1"_qs}, 1}}});
        QVERIFY(model.hasLabels());
        QCOMPARE(model.index(0, WorkerModel::State).data().toString(), u"Busy"_qs);
        QCOMPARE(model.index(0, WorkerModel::Memory).data().toString(), text::formatSize(worker.info.memory));
        QCOMPARE(model.index(0, WorkerModel::Memory).data(SortRole).toLongLong(), worker.info.memory);
        QCOMPARE(model.index(0, WorkerModel::Labels).data().toString(), u"gpu, ssd"_qs);
        QCOMPARE(model.index(0, WorkerModel::Queues).data(Qt::ToolTipRole).toString(), u"default, nightly"_qs);
    }

    // Also on that of the master, whose cell says more than its name.
    void aClickOnALineChoosesItsWorker()
    {
        test::WindowFixture f;
        f.window.showPage(u"workers"_qs);
        auto *const page = static_cast<WorkersPage *>(f.window.findChild<Shell *>()->find(u"workers"_qs));
        auto *const timeline = page->findChild<WorkerTimeline *>();
        QVERIFY(timeline);
        test::pictureOf(f.window, u"workers-page"_qs); // layouts settle
        QSet<QByteArray> chosen;
        for (int y = 0; y < timeline->height(); y += 4) {
            QTest::mouseClick(timeline, Qt::LeftButton, {}, {timeline->width() / 2, y});
            chosen.insert(page->selection().name);
        }
        int masters = 0;
        for (int row = 0; row < f.models.workers.rowCount(); ++row) {
            const WorkerRow &worker = f.models.workers.row(row);
            masters += worker.master ? 1 : 0;
            QVERIFY2(!worker.master || chosen.contains(worker.id), worker.id.constData());
        }
        QCOMPARE(masters, 1);
        QVERIFY(chosen.size() > 1);
    }

    // The wheel leads to those that have no room, and a click on their lines chooses them.
    void saysHowManyWorkersHaveNoRoom()
    {
        AttemptLog log;
        WorkerModel workers;
        QList<WorkerRow> rows;
        for (int i = 0; i < 40; ++i) {
            rows.append(WorkerRow());
            rows.back().id = "w" + QByteArray::number(100 + i);
        }
        workers.show(rows.first(2));
        WorkerTimeline timeline(workers, log);
        timeline.resize(500, 180);
        timeline.show();
        QCOMPARE(timeline.notShown(), 0);
        QVERIFY(!timeline.findChild<QScrollBar *>()->isVisible());
        workers.show(rows);
        JobsSnapshot snapshot;
        snapshot.clusterExists = true;
        log.show(snapshot);
        const qsizetype hidden = timeline.notShown();
        QVERIFY(hidden > 20 && hidden < 40);
        QVERIFY(timeline.accessibleDescription().contains(u"%1 workers not shown"_qs.arg(hidden)));
        timeline.resize(500, 320); // no job changes meanwhile
        QVERIFY(timeline.notShown() > 0 && timeline.notShown() < hidden);
        QVERIFY(timeline.accessibleDescription().contains(u"%1 workers not shown"_qs.arg(timeline.notShown())));
        timeline.resize(500, 180);
        test::pictureOf(timeline, u"workers-no-room"_qs);
        const auto chosenAt = [&timeline](int y) {
            QSignalSpy chosen(&timeline, &WorkerTimeline::chosen);
            QTest::mouseClick(&timeline, Qt::LeftButton, {}, {250, y});
            return chosen.value(0).value(0).toString();
        };
        QCOMPARE(chosenAt(14), u"w100"_qs);
        const QPointF middle = timeline.rect().center();
        for (int turn = 0; turn < 40; ++turn) {
            QWheelEvent wheel(middle, timeline.mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(&timeline, &wheel);
        }
        QCOMPARE(chosenAt(14), u"w"_qs + QString::number(100 + hidden));
    }

    void withoutAConnectionNothingGoesOn()
    {
        TimelineFixture f;
        f.begin("default-1", f.now - 20 * Minute);
        const QColor busy = toneColor(Tone::Busy, f.timeline.palette());
        QVERIFY(test::pixelsOf(f.timeline.grab().toImage(), busy) > 100);
        f.timeline.setStale(u"21:55:30"_qs);
        QCOMPARE(test::pixelsOf(f.timeline.grab().toImage(), busy), 0);
        f.timeline.setStale({});
        QVERIFY(test::pixelsOf(f.timeline.grab().toImage(), busy) > 100);
    }

    void saysHowEachAttemptEnded()
    {
        TimelineFixture f;
        for (const char *const id : {"default-1", "default-2", "default-3", "default-4"})
            f.begin(id, f.now - Minute);
        f.snapshot.rows[1].state = jobs::JobState::Succeeded;
        f.snapshot.rows[2].state = jobs::JobState::Ready;
        f.snapshot.rows[2].failed = 1;
        f.snapshot.rows[2].failedCode = 9;
        f.snapshot.rows[3].state = jobs::JobState::Ready;
        f.log.show(f.snapshot);
        const QStringList lines = f.timeline.accessibleDescription().split(u'\n');
        QCOMPARE(lines.size(), 4);
        const auto ends = [&lines](const QString &job, const QString &words) {
            return std::any_of(lines.begin(), lines.end(), [&](const QString &line) {
                return line.startsWith(job + u',') && line.endsWith(u", "_qs + words);
            });
        };
        const QByteArray all = lines.join(u'\n').toUtf8();
        QVERIFY2(ends(u"default-1"_qs, u"running"_qs), all);
        QVERIFY2(ends(u"default-2"_qs, u"succeeded"_qs), all);
        QVERIFY2(ends(u"default-3"_qs, u"failed with code 9"_qs), all);
        QVERIFY2(ends(u"default-4"_qs, u"lost with its worker, or given back"_qs), all);
    }

    // As far as they are taken, whatever a malformed node or a later number of slots makes of it.
    void aBarShowsHowManySlotsAreTaken()
    {
        WorkerModel model;
        WorkerRow worker;
        worker.id = "w1";
        model.show({worker});
        const auto share = [&] { return model.index(0, WorkerModel::Running).data(ShareRole); };
        QVERIFY(!share().isValid()); // it has no slots
        worker.info.slotCount = 4;
        model.show({worker});
        TableView table(&model, WorkerModel::Worker);
        table.setColumnWidths({10, 10, 30, 10, 10, 10, 10, 10, 10});
        table.resize(1200, 200);
        table.show();
        const auto pixels = [&] {
            const QRect cell = table.visualRect(table.model()->index(0, WorkerModel::Running));
            return test::pixelsOf(table.viewport()->grab(cell).toImage(), toneColor(Tone::Busy, table.palette()));
        };
        int before = pixels();
        QCOMPARE(before, 0);
        for (const int taken : {1, 3, 4}) {
            model.showLoads({{u"w1"_qs, {{u"default-1"_qs}, taken}}});
            QCOMPARE(share().toDouble(), taken / 4.0);
            QVERIFY2(pixels() > before, qPrintable(QString::number(taken)));
            before = pixels();
        }
        model.showLoads({{u"w1"_qs, {{u"default-1"_qs}, 9}}});
        QCOMPARE(share().toDouble(), 1.0);
        QCOMPARE(pixels(), before);
        const QModelIndex running = table.model()->index(0, WorkerModel::Running);
        const QFontMetrics font = table.fontMetrics();
        QVERIFY(table.sizeHintForIndex(running).width()
                >= font.horizontalAdvance(running.data().toString()) + 8 * font.averageCharWidth());
        table.header()->setMinimumSectionSize(1);
        for (const int width : {1, 5, 20}) { // it leaves the next column as it is
            table.header()->resizeSection(WorkerModel::Running, width);
            const QRect next = table.visualRect(running.siblingAtColumn(WorkerModel::Queues));
            const QImage beside = table.viewport()->grab().toImage().copy(next); // all columns are painted
            QCOMPARE(test::pixelsOf(beside, toneColor(Tone::Busy, table.palette())), 0);
        }
        QVERIFY(pixels() > 0);
        table.setStale(true);
        QCOMPARE(pixels(), 0);
    }

    void theNextInLineBecomesMaster()
    {
        StepDownFixture f;
        const QByteArray before = f.models.workers.master()->id;
        f.depose->trigger();
        QVERIFY(f.dialog());
        test::pictureOf(*f.dialog(), u"depose"_qs);
        f.dialog()->reject();
        f.world.runFor(3s);
        QCOMPARE(f.models.workers.master()->id, before);
        f.answerYes();
        QVERIFY(f.models.workers.master());
        QVERIFY(f.models.workers.master()->id != before);
        QVERIFY(f.says(QString::fromUtf8(before) + u" is no longer master."_qs));
    }

    // The question was about another one.
    void aMasterThatWasElectedMeanwhileStays()
    {
        StepDownFixture f;
        f.depose->trigger();
        f.removeMaster();
        const QByteArray second = f.models.workers.master()->id;
        f.dialog()->accept();
        f.world.runFor(3s);
        QCOMPARE(f.models.workers.master()->id, second);
        QVERIFY(f.says(u"another worker has become master meanwhile"_qs));
    }

    void theLastCandidateIsSaidToBeAlone()
    {
        StepDownFixture f;
        while (f.candidates().size() > 1)
            f.removeMaster();
        f.answerYes();
        QVERIFY(f.says(u"There is no other candidate"_qs));
        QVERIFY(!f.models.workers.master());
        QVERIFY(!f.depose->isEnabled());
    }

    void whoOnlyLooksDeposesNone()
    {
        StepDownFixture f;
        QVERIFY(f.depose->isEnabled());
        f.window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(false);
        QVERIFY(!f.depose->isEnabled());
    }
};

QTEST_MAIN(WorkersPageTest)
#include "workers_page_test.moc"
