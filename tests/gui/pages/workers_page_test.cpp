#include "gui/models/worker_model.h"
#include "gui/pages/worker_timeline.h"
#include "gui/pages/workers_page.h"
#include "gui/pictures.h"
#include "gui/shell/shell.h"
#include "gui/widgets/theme.h"
#include "gui/window_fixture.h"

#include <QDateTime>
#include <QTest>

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

} // namespace

// The page of the workers: above the table a line for each, with what ran there.
class WorkersPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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

    void withoutAConnectionNothingGoesOn()
    {
        const qint64 now = QDateTime::currentMSecsSinceEpoch();
        AttemptLog log;
        WorkerModel workers;
        WorkerRow worker;
        worker.id = "w";
        workers.show({worker});
        JobsSnapshot snapshot;
        snapshot.clusterExists = true;
        snapshot.rows = {runningOn(u"w"_qs, "default-1", now - 20 * Minute)};
        log.show(snapshot);
        WorkerTimeline timeline(workers, log);
        timeline.resize(500, 180);
        timeline.show();
        const QColor busy = toneColor(Tone::Busy, timeline.palette());
        QVERIFY(test::pixelsOf(timeline.grab().toImage(), busy) > 100);
        timeline.setStale(u"21:55:30"_qs);
        QCOMPARE(test::pixelsOf(timeline.grab().toImage(), busy), 0);
        timeline.setStale({});
        QVERIFY(test::pixelsOf(timeline.grab().toImage(), busy) > 100);
    }

    void saysHowEachAttemptEnded()
    {
        const qint64 now = QDateTime::currentMSecsSinceEpoch();
        AttemptLog log;
        WorkerModel workers;
        WorkerRow worker;
        worker.id = "w";
        workers.show({worker});
        WorkerTimeline timeline(workers, log);
        timeline.resize(500, 180);
        timeline.show();
        JobsSnapshot snapshot;
        snapshot.clusterExists = true;
        for (const char *const id : {"default-1", "default-2", "default-3", "default-4"})
            snapshot.rows.append(runningOn(u"w"_qs, id, now - Minute));
        log.show(snapshot);
        snapshot.rows[1].state = jobs::JobState::Succeeded;
        snapshot.rows[2].state = jobs::JobState::Ready;
        snapshot.rows[2].failed = 1;
        snapshot.rows[2].failedCode = 9;
        snapshot.rows[3].state = jobs::JobState::Ready;
        log.show(snapshot);
        const QStringList lines = timeline.accessibleDescription().split(u'\n');
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
};

QTEST_MAIN(WorkersPageTest)
#include "workers_page_test.moc"
