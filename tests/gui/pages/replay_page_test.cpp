#include "gui/feeds/feed_thread.h"
#include "gui/feeds_fixture.h"
#include "gui/pages/replay/record_switch.h"
#include "gui/pages/replay/replay_page.h"
#include "gui/pages/replay/time_line.h"
#include "gui/pictures.h"
#include "gui/recording/recorder_fixture.h"
#include "gui/sample_cluster.h"
#include "gui/session_with.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window/main_window.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Outcome = jobs::FinalRecord::Outcome;

namespace {

constexpr int Patience = 60'000; // ms

OpenedSession open(async::Loop &loop, const Target &target, const GivenCredentials &)
{
    OpenedSession opened;
    opened.zk = test::sessionWith(loop, target.connect, 10s);
    return opened;
}

// What the tables of now say.
struct Known {
    qint64 at = QDateTime::currentMSecsSinceEpoch();
    QMap<QByteArray, JobRow> jobs;
    QMap<QByteArray, LockRow> locks;
    QMap<QByteArray, QueueDepth> queues;
    qsizetype workers = 0;

    Known(const JobModel &jobRows, const LockModel &lockRows, const QueueTable &queueRows,
          const WorkerModel &workerRows)
    {
        for (int i = 0; i < jobRows.rowCount(); ++i)
            jobs.insert(jobRows.row(i).id.bytes(), jobRows.row(i));
        for (int i = 0; i < lockRows.rowCount(); ++i)
            locks.insert(lockRows.row(i).lock + '/' + lockRows.row(i).ticket, recordedOf(lockRows.row(i)));
        for (int i = 0; i < queueRows.rowCount(); ++i)
            queues.insert(queueRows.row(i).name, recordedOf(queueRows.row(i)));
        workers = workerRows.rowCount();
    }

    // Nothing is asked of a lock in the replay, so the place of its ticket is not recorded.
    static LockRow recordedOf(LockRow lock)
    {
        lock.directory.clear();
        return lock;
    }

    // Ages, rates and waiting jobs of queues are of now: they are not recorded, and the replay has no columns for them.
    static QueueDepth recordedOf(QueueDepth queue)
    {
        queue.came = queue.left = queue.oldestReady = 0;
        queue.waiting = -1;
        return queue;
    }
};

} // namespace

// The page of the replay beside a real server.
class ReplayPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_server.start(); }

    void init()
    {
        m_state.emplace();
        qputenv("XDG_STATE_HOME", m_state->path().toUtf8());
    }

    // By the key of the space: its button has the focus.
    void anEmptyPageBeginsTheRecording()
    {
        FeedThread feeds(open);
        ConsoleModels models;
        connectModels(models, feeds.session());
        MainWindow window(models, feeds.session());
        window.resize(1000, 640);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.connectTo({m_server.connectString(), "default"});
        const auto *const page = window.findChild<ReplayPage *>();
        auto *const start = page->findChild<QPushButton *>();
        QVERIFY(start);
        QTRY_VERIFY_WITH_TIMEOUT(start->isEnabled(), Patience);
        QVERIFY(window.showPage(u"replay"_qs));
        QVERIFY(start->isVisible() && start->hasFocus());
        test::pictureOf(window, u"replay-empty"_qs);
        QTest::keyClick(start, Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(page->badge().text, u"●"_qs, Patience);
        QVERIFY(window.findChild<RecordSwitch *>()->isChecked());
        QTRY_VERIFY_WITH_TIMEOUT(!start->isVisible(), Patience); // there is something to see
    }

    void showsWhatWasTrueAtThatMoment()
    {
        async::QtLoop loop;
        const std::unique_ptr<zk::Session> writer = test::sessionWith(loop, m_server.connectString(), 10s);
        test::SampleCluster cluster(*writer, "default");
        test::await(cluster.fill());
        FeedThread feeds(open);
        ConsoleModels models;
        connectModels(models, feeds.session());
        MainWindow window(models, feeds.session());
        window.resize(1280, 800);
        window.show();
        window.connectTo({m_server.connectString(), "default"});
        auto *const page = window.findChild<ReplayPage *>();
        auto *const record = window.findChild<RecordSwitch *>();
        QTRY_VERIFY_WITH_TIMEOUT(models.jobs.rowCount() == 26 && models.locks.rowCount() == 5, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(models.workers.rowCount() == 4, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(record->isEnabled(), Patience);
        record->click();
        QTRY_VERIFY_WITH_TIMEOUT(page->badge().text == u"●"_qs, Patience);

        // The recorder has its own thread: the moment is one at which it has written what the tables say.
        std::vector<Known> moments;
        const auto remember = [&] {
            moments.emplace_back(models.jobs, models.locks, models.queueTable, models.workers);
            Known &known = moments.back();
            const bool isWritten = QTest::qWaitFor([&] { return page->recordedUntil() > known.at; }, Patience);
            known.at = page->recordedUntil();
            return isWritten;
        };
        QVERIFY(remember());
        const jobs::JobId job = test::await(cluster.addJob(test::SampleCluster::spec({u"train"_qs})));
        QTRY_VERIFY_WITH_TIMEOUT(models.jobs.find(job) && models.jobs.find(job)->loaded, Patience);
        QVERIFY(remember());
        test::await(cluster.claim(job, u"worker-1"_qs));
        test::await(cluster.addLock("replayed", {"holder", "waiter"}));
        QTRY_VERIFY_WITH_TIMEOUT(models.jobs.find(job)->state == jobs::JobState::Running, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(models.locks.rowCount() == 7, Patience);
        QVERIFY(remember());
        test::await(cluster.finish(job, Outcome::Exited, 3, "no"));
        const auto hasEnded = [&] {
            const JobRow *const row = models.jobs.find(job);
            return row && row->loaded && row->state == jobs::JobState::Failed;
        };
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded(), Patience);
        QVERIFY(remember());

        QVERIFY(window.showPage(u"replay"_qs));
        for (const Known &then : moments) {
            const ReplayModels &shown = page->models();
            QSignalSpy answered(page, &ReplayPage::shown);
            page->goTo(then.at);
            const auto isShown = [&] { return !answered.isEmpty() && shown.jobs.rowCount() == then.jobs.size(); };
            QTRY_VERIFY_WITH_TIMEOUT(isShown(), Patience);
            const Known replayed(shown.jobs, shown.locks, shown.queues, shown.workers);
            QCOMPARE(replayed.jobs, then.jobs);
            QCOMPARE(replayed.locks.keys(), then.locks.keys());
            QCOMPARE(replayed.locks, then.locks);
            QCOMPARE(replayed.queues, then.queues);
            QCOMPARE(replayed.workers, then.workers);
        }
        QStringList events;
        for (int i = 0; i < page->models().events.rowCount(); ++i)
            events << page->models().events.row(i).event + u' ' + page->models().events.row(i).subject;
        QVERIFY2(events.contains(u"ended "_qs + job.toString()), qPrintable(events.join(u'\n')));
        QVERIFY(events.contains(u"lock-taken replayed"_qs));

        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            window.theme().choose(theme);
            for (const QSize size : {QSize(1280, 800), QSize(800, 600)}) {
                window.resize(size);
                const QImage picture = test::pictureOf(window, u"replay-%1-%2"_qs.arg(size.width()).arg(int(theme)));
                QCOMPARE(picture.size(), size);
            }
        }
        page->goTo(moments.front().at - 3'600'000);
        QTRY_VERIFY_WITH_TIMEOUT(says(*page, u"Nothing was recorded before"_qs), Patience);
        QCOMPARE(page->models().jobs.rowCount(), 0);

        QSettings settings(m_state->filePath(u"settings"_qs), QSettings::IniFormat);
        page->saveTo(settings);
        ReplayPage another;
        another.restoreFrom(settings);
        QVERIFY(another.isWanted({m_server.connectString(), "default"}));
        record->click();
        QTRY_VERIFY_WITH_TIMEOUT(page->badge().text.isEmpty(), Patience);
        QVERIFY(!page->isWanted({m_server.connectString(), "default"}));
    }

    void aDisconnectionIsNotTheEndOfTheCluster()
    {
        test::FeedsFixture cluster;
        test::RecorderFixture recording;
        Recorder &recorder = recording.recorder;
        connect(&cluster.console, &ConsoleSession::statusChanged, &recorder, &Recorder::showStatus);
        connect(&cluster.console.jobs(), &JobFeed::jobsChanged, &recorder, &Recorder::showJobs);
        connect(&cluster.console.workers(), &WorkerFeed::changed, &recorder, &Recorder::showWorkers);
        connect(&cluster.console.locks(), &LockFeed::changed, &recorder, &Recorder::showLocks);
        cluster.fillAndOpen();
        recorder.setOn(true);
        recording.after(2000);
        QVERIFY(recording.status.isRecording);
        recording.after(1000);
        const Moment before = recording.at(recording.now);
        QVERIFY(!before.jobs.rows.isEmpty() && !before.workers.isEmpty() && !before.locks.isEmpty());
        recording.now += 500;
        cluster.console.close();
        QVERIFY(!recording.status.isRecording);
        const Moment last = recording.at(recording.status.spans.last().until, before.at + 1);
        QCOMPARE(last.jobs.rows, before.jobs.rows);
        QCOMPARE(last.workers.size(), before.workers.size());
        QCOMPARE(last.locks, before.locks);
        QCOMPARE(last.events.size(), 0);
    }

    void droppedRecordingsFreeTheDisk()
    {
        RecordingLimits limits;
        limits.bytes = 300'000;
        test::RecorderFixture f(limits);
        f.connectAndRecord();
        QList<JobRow> rows;
        for (int i = 0; i < 200; ++i) {
            rows.append(test::jobOf(i + 1, jobs::JobState::Ready));
            for (JobRow &row : rows)
                row.note = QString::number(qHash(i * 1000 + row.id.number), 36);
            f.recorder.showJobs(test::snapshotOf(rows));
            f.after(1000);
        }
        QVERIFY(f.status.spans.first().from > test::Noon + 2000);
        QCOMPARE(ask(u"PRAGMA freelist_count"_qs), 0);
    }

    void aDamagedRecordingIsNotShown()
    {
        test::RecorderFixture f;
        ReplayPage page;
        connect(&f.recorder, &Recorder::statusChanged, &page, &ReplayPage::showStatus);
        connect(&f.recorder, &Recorder::momentRead, &page, &ReplayPage::showMoment);
        connect(&page, &ReplayPage::momentWanted, &f.recorder, &Recorder::read);
        f.connectAndRecord();
        f.after(1000);
        QVERIFY(f.recorder.findChild<QTimer *>()->isActive());
        page.goTo(f.now);
        QCOMPARE(page.models().jobs.rowCount(), 1);
        ask(u"UPDATE frame SET data = x'0000000401020304'"_qs);
        page.goTo(f.now - 1);
        QCOMPARE(page.models().jobs.rowCount(), 0);
        QVERIFY(!f.moment->isRecorded);
        QVERIFY(f.status.trouble.endsWith(u"is damaged"_qs));
        QVERIFY(says(page, f.status.trouble));
        QVERIFY(!f.status.isOn && !f.status.isRecording);
        QVERIFY(!f.recorder.findChild<QTimer *>()->isActive());
    }

    void noTimerRunsWhileRecordingIsOff()
    {
        test::RecorderFixture f;
        f.connectAndRecord();
        f.recorder.setOn(false);
        QVERIFY(!f.recorder.findChild<QTimer *>()->isActive());
        f.recorder.setOn(true);
        SessionStatus other = test::statusOf(SessionStatus::Phase::Connected);
        other.target.cluster = "other";
        f.recorder.showStatus(other);
        QVERIFY(!f.recorder.findChild<QTimer *>()->isActive());
    }

    void cleanupTestCase() { m_server.stop(); }

private:
    // Of the file of the recorder's fixture; the first number of the answer.
    static int ask(const QString &sql)
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_qs, u"test"_qs);
        database.setDatabaseName(RecordingFile::pathFor(test::Cluster));
        int answer = -1;
        if (database.open()) {
            QSqlQuery query(database);
            answer = query.exec(sql) && query.next() ? query.value(0).toInt() : -1;
        }
        database = {};
        QSqlDatabase::removeDatabase(u"test"_qs);
        return answer;
    }
    static bool says(const ReplayPage &page, const QString &text)
    {
        const QList<QLabel *> labels = page.findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return label->text().startsWith(text); });
    }

    std::optional<QTemporaryDir> m_state;
    test::TestServer m_server;
};

QTEST_MAIN(ReplayPageTest)
#include "replay_page_test.moc"
