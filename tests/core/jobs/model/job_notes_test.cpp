#include "core/jobs/model/full_spec.h"
#include "jobs/model/array_progress.h"
#include "jobs/model/gang.h"

#include <QTest>

using namespace drover::jobs;
using namespace std::chrono_literals;
using drover::test::fullSpec;

// The notes beside a job's text.
class JobNotesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theClassFollowsFromTheNotes()
    {
        JobSpec spec = fullSpec();
        QCOMPARE(spec.entryClass(), QueueEntry::Class::Held);
        spec = JobSpec::decode(noted(spec.encode(), [](JobNotes &notes) { notes.heldBy.clear(); }), "default", 3);
        QCOMPARE(spec.entryClass(), QueueEntry::Class::Waiting);
        spec = JobSpec::decode(JobSpec::markReady(spec.encode()), "default", 3);
        QVERIFY(!spec.waits());
        QCOMPARE(spec.entryClass(), QueueEntry::Class::Array);
        spec.array.reset();
        QCOMPARE(spec.entryClass(), QueueEntry::Class::Ready);
        const JobSpec failed =
            JobSpec::decode(noted(spec.encode(), [](JobNotes &notes) { notes.countFailed(7, 5s); }), "default", 3);
        QCOMPARE(failed.notes.failed, 1);
        QCOMPARE(failed.notes.failedCode, 7);
        QCOMPARE(failed.notes.notBefore, 5000ms);
        QCOMPARE(failed.entryClass(), QueueEntry::Class::Waiting);
        const JobSpec held = JobSpec::decode(
            noted(spec.encode(), [](JobNotes &notes) { notes.heldBy = QStringLiteral("me@here"); }), "default", 3);
        QCOMPARE(held.entryClass(), QueueEntry::Class::Held);
        QCOMPARE(held.notes.heldBy, QStringLiteral("me@here"));
    }

    // Whatever happens to a job is a note. Its text, which was signed, is not touched.
    void notesLeaveTheTextAlone()
    {
        JobRecord record = fullSpec().record();
        record.text.replace("\"v\":1", "\"later\" : {\"x\":[1,  2]}, \"v\": 1"); // as another program may write it
        record.signature = "c2ln";
        record.certificate = "7f";
        record.unknown.insert(QStringLiteral("more"), 1);
        QByteArray stored = record.bytes();
        stored = noted(stored, &JobNotes::countReturned);
        stored = noted(stored, [](JobNotes &notes) { notes.countFailed(3, 7s); });
        stored = JobSpec::markReady(stored);
        ArrayProgress progress;
        progress.expand(3, fullSpec().array->count());
        stored = GangRounds().mergedInto(progress.mergedInto(stored));
        for (const QByteArray &data : {stored, taskOf(stored, 3)}) {
            const JobRecord read = JobRecord::parse(data);
            QCOMPARE(read.text, record.text);
            QCOMPARE(read.signature, record.signature);
            QCOMPARE(read.certificate, record.certificate);
            QCOMPARE(read.unknown, record.unknown);
        }
        QVERIFY(JobSpec::decode(stored, "default", 3).after.empty());
        const JobRecord moved = JobSpec::asNew(stored, [](JobSpec &spec) { spec.key = QStringLiteral("other"); });
        QVERIFY(!moved.isSigned());
        QVERIFY(moved.text.contains("\"later\":{\"x\":[1,2]}"));
        QVERIFY(JobSpec::decode(moved, "default", 3).after.empty()); // it has waited
    }

    // Whatever its text, signature and name of a certificate hold.
    void anyRecordIsReadAsItWasWritten()
    {
        QByteArray controls("{\"\\ \xc3\xa9 \xf0\x9f\x90\x87 \x7f");
        for (char each = 0; each < ' '; ++each)
            controls += each;
        for (const QByteArray &text : {QByteArray("{}"), controls, QByteArray()}) {
            JobRecord record;
            record.text = text;
            record.signature = "\"\xe9\\";
            record.certificate = "\n";
            const QByteArray stored = record.bytes();
            const JobRecord read = JobRecord::parse(stored);
            QCOMPARE(read.text, text);
            QCOMPARE(read.signature, record.signature);
            QCOMPARE(read.certificate, record.certificate);
            QVERIFY(read.unknown.isEmpty());
            QVERIFY(read.notes().object() == JobRecord().notes().object());
            QCOMPARE(read.bytes(), stored);
        }
    }

    void anotherNodeKnowsNothingOfTheClaims()
    {
        JobSpec spec = fullSpec();
        spec.notes.returned = 3;
        spec.notes.pending = 2;
        spec.notes.lastStarted = 4;
        spec.notes.failed = 2;
        const JobRecord record = JobSpec::asNew(spec.encode(), [](JobSpec &job) { job.key = QStringLiteral("other"); });
        const JobSpec moved = JobSpec::decode(record, "default", 3);
        QCOMPARE(moved.key, QStringLiteral("other"));
        QCOMPARE(moved.notes.returned, 0);
        QCOMPARE(moved.notes.pending, 0);
        QCOMPARE(moved.notes.lastStarted, 0);
        QCOMPARE(moved.notes.failed, 0);
        QCOMPARE(moved.notes.heldBy, spec.notes.heldBy);
        QCOMPARE(moved.retry, spec.retry);
    }

    // A claim that is to wait raises the version, and its beginning does.
    void onlyWhatHasBegunIsAnAttempt()
    {
        const auto read = [](const QByteArray &stored) { return JobSpec::decode(stored, "default", 3); };
        const QByteArray claimed = noted(fullSpec().encode(), &JobNotes::countPending); // version 1
        QCOMPARE(read(claimed).attempts(1).number(), 0);
        QCOMPARE(read(claimed).attempts(1).claimVersion, 1);
        const QByteArray lost = noted(claimed, &JobNotes::countPending); // 2: the worker of the first was lost
        QCOMPARE(read(lost).attempts(2).number(), 0);
        const QByteArray begun = noted(lost, [](JobNotes &notes) { notes.lastStarted = 2; }); // 3
        QCOMPARE(read(begun).attempts(3).number(), 1);
        QCOMPARE(read(begun).attempts(3).claimVersion, 2);
        QCOMPARE(read(noted(begun, &JobNotes::markCancelled)).attempts(4).claimVersion, 2);
        const QByteArray requeued = noted(begun, &JobNotes::countReturned); // 4
        QCOMPARE(read(requeued).attempts(4).number(), 0);
        QCOMPARE(read(requeued).attempts(5).number(), 1); // claimed to begin at once
        QCOMPARE(read(requeued).attempts(5).claimVersion, 5);
        QCOMPARE(read(requeued).attemptsLost(5), 1);
    }
};

QTEST_GUILESS_MAIN(JobNotesTest)
#include "job_notes_test.moc"
