#include "gui/models/replay/replay_models.h"
#include "gui/recording/codec.h"
#include "gui/recording/recorder.h"
#include "recorder_fixture.h"

#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QFileInfo>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using jobs::JobState;
using Phase = SessionStatus::Phase;

namespace {

using Fixture = RecorderFixture;

// What the killed process records, until it is killed.
int recordForEver()
{
    Fixture f;
    f.connectAndRecord();
    for (int i = 1;; ++i) {
        f.recorder.showJobs(snapshotOf({jobOf(1, JobState::Running), jobOf(i, JobState::Ready)}));
        f.after(1000);
        std::fputs("batch\n", stdout);
        std::fflush(stdout);
    }
}

} // namespace

// What the feeds reported is there again, and what they could not report is a gap.
class RecordingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_state.emplace();
        qputenv("XDG_STATE_HOME", m_state->path().toUtf8());
    }

    void rowsComeBackAsTheyWere()
    {
        JobRow job = jobOf(4, JobState::Failed);
        job.comment = u"“x”\n\u8bd5"_qs;
        job.waits = u"lock db"_qs;
        job.progress = u"28/40, 1 failed"_qs;
        QCOMPARE(*decodeRow<JobRow>(encodeRow(job)), job);
        QueueDepth queue{QByteArrayLiteral("gpu"), 12, u"paused by me"_qs, 4, 3, 2};
        QCOMPARE(*decodeRow<QueueDepth>(encodeRow(queue)), queue);
        QCOMPARE(*decodeRow<LockRow>(encodeRow(ticketOf(2))), ticketOf(2));
        QVERIFY(*decodeRow<WorkerRow>(encodeRow(workerOf(2))) == workerOf(2));
        WorkerRow malformed = workerOf(0);
        QVERIFY(!decodeRow<WorkerRow>(encodeRow(malformed))->malformed.isEmpty()); // older consoles recorded such ones
        malformed.malformed = u"no slots"_qs;
        QVERIFY(*decodeRow<WorkerRow>(encodeRow(malformed)) == malformed);
        const ZnodeListing listing = *decodeRow<ZnodeListing>(encodeRow(listingOf(3)));
        QCOMPARE(listing.names, listingOf(3).names);
        QCOMPARE(listing.stat, listingOf(3).stat);
        QVERIFY(!decodeRow<JobRow>("no such bytes"));
    }

    void aMomentIsAsItWas()
    {
        Fixture f;
        f.connectAndRecord();
        const qint64 first = f.now;
        f.now += 100;
        f.recorder.showJobs(snapshotOf({jobOf(1, JobState::Running), jobOf(2, JobState::Ready)}));
        f.recorder.showLocks({ticketOf(0), ticketOf(1)});
        f.recorder.showQueues({{QByteArrayLiteral("default"), 2, {}, 0, 1, 1}});
        f.recorder.showListing(listingOf(3));
        f.after(1000);
        const qint64 second = f.now;
        f.now += 100;
        f.recorder.showJobs(snapshotOf({jobOf(2, JobState::Failed)}));
        f.recorder.showLocks({ticketOf(1)});
        f.recorder.showListing(listingOf(2));
        f.after(1000);

        QCOMPARE(f.at(first).jobs.rows, (QList<JobRow>{jobOf(1, JobState::Ready)}));
        QCOMPARE(f.at(first).locks.size(), 0);
        QVERIFY(f.at(second).isRecorded);
        QCOMPARE(f.at(second).jobs.rows, (QList<JobRow>{jobOf(1, JobState::Running), jobOf(2, JobState::Ready)}));
        QCOMPARE(f.at(second).jobs.running, 1);
        QCOMPARE(f.at(second).locks, (QList<LockRow>{ticketOf(0), ticketOf(1)}));
        QCOMPARE(f.at(second).queues.first().ready, 1);
        QCOMPARE(f.at(second).znodes.first().names.size(), 3);
        QCOMPARE(f.at(f.now).jobs.rows, (QList<JobRow>{jobOf(2, JobState::Failed)}));
        QCOMPARE(f.at(f.now).znodes.first().names.size(), 2);

        QStringList events;
        for (const EventRow &event : f.at(f.now, first + 1).events)
            events << event.event + u' ' + event.subject;
        QCOMPARE(events,
                 (QStringList{u"started default-1"_qs, u"submitted default-2"_qs, u"lock-taken database"_qs,
                              u"lock-waits database"_qs, u"queue-made default"_qs, u"ended default-2"_qs,
                              u"lock-released database"_qs, u"children-changed /drover"_qs}));
        QCOMPARE(f.at(second, second).events.size(), 0);
    }

    // However many keyframes lie between.
    void manyMomentsAreAsTheyWere()
    {
        Fixture f;
        f.connectAndRecord();
        std::map<qint64, int> running;
        for (int i = 1; i < 400; ++i) {
            f.recorder.showJobs(snapshotOf({jobOf(i % 7 + 1, JobState::Running)}));
            f.after(1000);
            running[f.now - 1] = i % 7 + 1;
        }
        for (const auto &[at, number] : running) {
            QCOMPARE(f.at(at).jobs.rows.size(), 1);
            QCOMPARE(f.at(at).jobs.rows.first().id.number, number);
        }
    }

    void aGapIsNoQuiet()
    {
        Fixture f;
        f.connectAndRecord();
        f.after(1000);
        const qint64 lost = f.now;
        f.recorder.showStatus(statusOf(Phase::Lost));
        f.after(60'000);
        const qint64 inGap = f.now;
        f.recorder.showStatus(statusOf(Phase::Connected));
        f.after(60'000);
        QVERIFY(!f.status.isRecording); // the new session has reported nothing yet
        f.recorder.showJobs(snapshotOf({jobOf(9, JobState::Running)}));
        f.after(2000);
        QVERIFY(f.status.isRecording);
        f.after(1000);
        QVERIFY(f.at(lost).isRecorded);
        QVERIFY(!f.at(inGap).isRecorded);
        QCOMPARE(f.at(inGap).jobs.rows.size(), 0);
        QCOMPARE(f.at(f.now).jobs.rows.first().id.number, 9);
        QCOMPARE(f.status.spans.size(), 2);
        QVERIFY(!f.at(Noon - 1000).isRecorded);
    }

    void aMachineThatSleptLeavesAGap()
    {
        for (const bool isConnected : {true, false}) {
            init();
            Fixture f;
            f.connectAndRecord();
            f.after(1000);
            const qint64 slept = f.now;
            f.now += 3'600'000;
            f.recorder.showJobs(snapshotOf({jobOf(2, JobState::Running)}));
            f.recorder.showStatus(statusOf(isConnected ? Phase::Connected : Phase::Suspended));
            f.recorder.flush();
            QVERIFY(!f.status.isRecording);
            QCOMPARE(f.status.spans.last().until, slept);
            QVERIFY(!f.at(slept + 1).isRecorded);
            f.recorder.showStatus(statusOf(Phase::Connected));
            f.after(500); // the feeds read what they missed
            QVERIFY(!f.status.isRecording);
            f.after(500);
            QVERIFY(f.status.isRecording);
            QCOMPARE(f.at(f.now).jobs.rows, (QList<JobRow>{jobOf(2, JobState::Running)}));
            QCOMPARE(f.status.spans.last().from, slept + 3'601'000);
        }
    }

    void aConnectionThatComesBackIsReadFirst()
    {
        Fixture f;
        f.connectAndRecord();
        f.recorder.showStatus(statusOf(Phase::Suspended));
        f.now += 3000;
        f.recorder.showStatus(statusOf(Phase::Connected));
        f.after(500);
        QVERIFY(!f.status.isRecording);
        f.recorder.showJobs(snapshotOf({jobOf(2, JobState::Running)}));
        f.after(500);
        QVERIFY(f.status.isRecording);
        QCOMPARE(f.at(f.status.spans.last().from).jobs.rows, (QList<JobRow>{jobOf(2, JobState::Running)}));
    }

    void eventsAfterAGapAreOfWhatWasThen()
    {
        Fixture f;
        f.connectAndRecord();
        f.recorder.showJobs(snapshotOf({jobOf(1, JobState::Running)}));
        f.recorder.showLocks({ticketOf(0)});
        f.after(1000);
        f.recorder.showStatus(statusOf(Phase::Lost));
        f.recorder.showLocks({}); // it was released in the gap, and the job was taken from its worker
        f.recorder.showStatus(statusOf(Phase::Connected));
        f.recorder.showJobs(snapshotOf({jobOf(1, JobState::Ready)}));
        f.after(2000);
        const qint64 again = f.now;
        f.recorder.showJobs(snapshotOf({jobOf(1, JobState::Running)}));
        f.recorder.showLocks({ticketOf(0)});
        f.after(1000);
        QStringList events;
        for (const EventRow &event : f.at(f.now, Noon).events) {
            if (event.at >= again)
                events << event.event + u' ' + event.subject;
        }
        QCOMPARE(events, (QStringList{u"started default-1"_qs, u"lock-taken database"_qs}));
        QCOMPARE(f.moment->events.size(), 4);
    }

    void aJobThatOnlyEntersTheTableIsNoEvent()
    {
        Fixture f;
        f.connectAndRecord();
        for (int i = 0; i < 20; ++i)
            f.after(1000);
        JobRow recent = jobOf(4, JobState::Ready);
        recent.since = f.now - 3000;
        f.recorder.showJobs(snapshotOf({jobOf(1, JobState::Running), jobOf(2, JobState::Ready),
                                        jobOf(3, JobState::Failed), jobOf(5, JobState::Running), recent}));
        f.after(1000);
        QStringList events;
        for (const EventRow &event : f.at(f.now).events)
            events << event.event + u' ' + event.subject;
        events.sort();
        QCOMPARE(events, (QStringList{u"started default-1"_qs, u"submitted default-4"_qs}));
    }

    void anOnlookerLocksNoOneOut()
    {
        Fixture first;
        first.connectAndRecord();
        first.after(1000);
        first.recorder.setOn(false);
        Fixture onlooker;
        onlooker.recorder.showStatus(statusOf(Phase::Connected));
        first.recorder.setOn(true);
        first.after(2000);
        QVERIFY2(first.status.isRecording, qPrintable(first.status.trouble));
        Fixture late;
        late.recorder.showStatus(statusOf(Phase::Connected));
        for (Fixture *const f : {&onlooker, &late}) {
            QCOMPARE(f->status.trouble, QString());
            QVERIFY(!f->status.spans.isEmpty());
            QCOMPARE(f->at(first.now).jobs.rows, (QList<JobRow>{jobOf(1, JobState::Ready)}));
        }
        first.recorder.setOn(false);
        late.now = first.now;
        late.connectAndRecord();
        QVERIFY(late.status.isRecording);
    }

    void nothingIsWrittenUnlessRecordingIsOn()
    {
        Fixture f;
        f.recorder.showStatus(statusOf(Phase::Connected));
        f.recorder.showJobs(snapshotOf({jobOf(1, JobState::Ready)}));
        f.after(5000);
        QVERIFY(!QFileInfo::exists(RecordingFile::pathFor(Cluster)));
        f.recorder.setOn(true); // what is known already is in it
        f.after(1000);
        QCOMPARE(f.at(f.now).jobs.rows.size(), 1);
    }

    void theFileIsItsUsersAlone()
    {
        Fixture f;
        f.connectAndRecord();
        const QString path = RecordingFile::pathFor(Cluster);
        for (const QString &suffix : {u""_qs, u"-wal"_qs}) {
            struct stat status {
            };
            QCOMPARE(::stat((path + suffix).toUtf8().constData(), &status), 0);
            QCOMPARE(int(status.st_mode & 0777), 0600);
        }
        Fixture second;
        second.connectAndRecord();
        QVERIFY(second.status.trouble.contains(u"another console records into"_qs));
        QVERIFY(!second.status.isRecording);
        f.after(1000);
        QVERIFY(f.status.isRecording);
    }

    void theOldestIsDropped()
    {
        RecordingLimits limits;
        limits.bytes = 300'000;
        Fixture f(limits);
        f.connectAndRecord();
        const qint64 begun = f.now;
        QList<JobRow> rows;
        for (int i = 0; i < 300; ++i) {
            rows.append(jobOf(i + 1, JobState::Ready));
            for (JobRow &row : rows)
                row.note = QString::number(qHash(i * 1000 + row.id.number), 36);
            f.recorder.showJobs(snapshotOf(rows));
            f.after(1000);
        }
        QVERIFY2(f.status.bytes < 3 * limits.bytes, qPrintable(QString::number(f.status.bytes)));
        QVERIFY(f.status.spans.first().from > begun);
        QVERIFY(!f.at(begun).isRecorded);
        QCOMPARE(f.at(f.now).jobs.rows.size(), 300);
        QCOMPARE(f.at(f.status.spans.first().from).jobs.rows.size() > 0, true);
    }

    void theRecordingOfAKilledProgramIsReadable()
    {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(), {u"--record"_qs});
        QByteArray told;
        while (told.count('\n') < 20) {
            QVERIFY(child.waitForReadyRead(60'000));
            told += child.readAllStandardOutput();
        }
        ::kill(pid_t(child.processId()), SIGKILL);
        QVERIFY(child.waitForFinished(60'000));
        Fixture f;
        f.recorder.showStatus(statusOf(Phase::Connecting));
        QCOMPARE(f.status.spans.size(), 1);
        const RecordedSpan span = f.status.spans.first();
        QVERIFY(span.until >= span.from + 20'000);
        QCOMPARE(f.at(span.from + 9'500).jobs.rows.first(), jobOf(1, JobState::Running));
        QCOMPARE(f.at(span.from + 9'500).jobs.rows.last(), jobOf(10, JobState::Ready));
    }

    void aFullDiskEndsItOnce()
    {
        std::signal(SIGXFSZ, SIG_IGN);
        Fixture f;
        f.connectAndRecord();
        QSignalSpy told(&f.recorder, &Recorder::statusChanged);
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit full{rlim_t(QFileInfo(RecordingFile::pathFor(Cluster) + u"-wal"_qs).size()), before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &full), 0);
        for (int i = 0; i < 5; ++i) {
            f.recorder.showJobs(snapshotOf({jobOf(i + 2, JobState::Running)}));
            f.after(1000);
        }
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        QVERIFY(!f.status.trouble.isEmpty());
        QVERIFY(!f.status.trouble.contains(u'\n'));
        QVERIFY(!f.status.isRecording);
        QCOMPARE(told.size(), 1);
        QVERIFY(f.at(Noon + 2000).isRecorded); // what there was is there
        f.recorder.setOn(true);
        f.after(1000);
        QVERIFY(f.status.isRecording);
        QVERIFY(f.status.trouble.isEmpty());
    }

    void stepsGoFromChangeToChange()
    {
        Fixture f;
        f.connectAndRecord();
        QSignalSpy found(&f.recorder, &Recorder::found);
        QList<qint64> changes;
        for (int i = 0; i < 3; ++i) {
            f.now += 300;
            f.recorder.showJobs(snapshotOf({jobOf(i + 2, JobState::Running)}));
            changes << f.now;
            f.after(4000);
        }
        f.recorder.findNext(1, changes[0]);
        QCOMPARE(found.takeFirst()[1].toLongLong(), changes[1]);
        f.recorder.findPrevious(2, changes[2]);
        QCOMPARE(found.takeFirst()[1].toLongLong(), changes[1]);
        f.recorder.findNext(3, changes[2]);
        QCOMPARE(found.takeFirst()[1].toLongLong(), 0);
    }

    void theModelsAreModels()
    {
        ReplayModels models;
        QAbstractItemModelTester jobs(&models.jobs);
        QAbstractItemModelTester znodes(&models.znodes);
        QAbstractItemModelTester events(&models.events);
        Fixture f;
        f.connectAndRecord();
        for (int i = 1; i < 6; ++i) {
            f.recorder.showJobs(snapshotOf({jobOf(i, JobState::Running), jobOf(i + 1, JobState::Ready)}));
            f.recorder.showListing(listingOf(i));
            f.after(1000);
        }
        for (const qint64 at : {f.now, Noon + 3000, Noon - 1, f.now - 1500}) {
            models.show(f.at(at, at - 2000));
            QCOMPARE(models.jobs.rowCount(), f.moment->jobs.rows.size());
        }
        QCOMPARE(models.znodes.index(0, ListingModel::Path).data().toString(), u"/drover"_qs);
        QVERIFY(models.events.rowCount() > 0);
    }

private:
    std::optional<QTemporaryDir> m_state;
};

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 2 && QByteArray(argv[1]) == "--record")
        return recordForEver();
    RecordingTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "recording_test.moc"
