#include "core/jobs/model/full_spec.h"
#include "core/jobs/model/stored_forms.h"
#include "jobs/model/claim.h"
#include "jobs/model/cluster_stats.h"
#include "jobs/model/final_record.h"
#include "jobs/model/worker_info.h"
#include "text/quantity.h"

#include <QTest>

using namespace drover::jobs;
using drover::test::fullSpec;
using namespace std::chrono_literals;

class RecordsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSpecSurvivesItsEncoding()
    {
        const JobSpec spec = fullSpec();
        const JobSpec read = JobSpec::decode(spec.encode(), "default", 3);
        QCOMPARE(read.encode(), spec.encode());
        QCOMPARE(read.command, spec.command);
        QCOMPARE(read.retry, spec.retry);
        QCOMPARE(read.needs, spec.needs);
        QVERIFY(read.after == spec.after);
        QVERIFY(read.array == spec.array);
        QCOMPARE(read.locks, spec.locks);
        QCOMPARE(read.sharedLocks, spec.sharedLocks);
        QCOMPARE(read.limits, spec.limits);
        QCOMPARE(read.tags, spec.tags);
        QCOMPARE(read.dedupe, spec.dedupe);
        QCOMPARE(read.notes.notBefore, spec.notes.notBefore);
        QCOMPARE(read.notes.heldBy, spec.notes.heldBy);
        QCOMPARE(read.appendTo, spec.appendTo);
        QCOMPARE(read.standardOutput, spec.standardOutput);
        QCOMPARE(read.standardError, spec.standardError);
        QCOMPARE(read.ulimits, spec.ulimits);
        QCOMPARE(read.killGrace, spec.killGrace);
        QCOMPARE(read.outputLimit, spec.outputLimit);
        QCOMPARE(read.submittedAt, spec.submittedAt);
    }

    // Programs of other versions read and write the same nodes.
    void theStoredFormStaysAsItIs()
    {
        JobSpec spec;
        spec.command = QStringList{QStringLiteral("true")};
        QCOMPARE(spec.record().text, R"({"attempts":5,"cmd":["true"],"grace_ms":5000,"output":67108864,"v":1})");
        QCOMPARE(JobRecord::parse(StoredSpec).bytes(), fullSpec().encode()); // of version 1
        spec.command = QStringList{QStringLiteral("a\"b")};
        spec.notes.returned = 2;
        QCOMPARE(spec.encode(), StoredRecord);
        JobRecord record = spec.record();
        record.signature = "c2ln";
        record.certificate = "7f";
        QCOMPARE(record.bytes(), SignedRecord);
        for (const char *const stored : {SignedRecord, SignedRecordInOrder}) {
            QCOMPARE(JobRecord::parse(stored).text, spec.record().text);
            QCOMPARE(JobRecord::parse(stored).bytes(), SignedRecord);
        }
        QCOMPARE(Claim().encode(), R"({"attempt":1,"v":1})");
        QCOMPARE(FinalRecord().encode(), R"({"outcome":"exited","v":1})");
        QCOMPARE(WorkerInfo().encode(), R"({"v":1})");
        QCOMPARE(ClusterStats().encode(), R"({"queues":[],"troubles":[],"v":1})");
        ClusterStats stats;
        stats.master = QStringLiteral("w1");
        stats.queues.push_back({"default", 0, 10});
        stats.archive = ClusterStats::Archive{};
        stats.troubles.push_back({QStringLiteral("schedules"), QString(), 5ms});
        QCOMPARE(stats.encode(), StoredStats);
    }

    // A number that a record always has keeps its default where an older program left it out; others are 0 then.
    void missingFieldsHaveTheirMeaning()
    {
        const JobSpec spec = JobSpec::decode(R"({"v":1,"cmd":["a"]})", "default", 5);
        QCOMPARE(spec.maxAttempts, 5);
        QCOMPARE(spec.needs.slots, 1);
        QCOMPARE(spec.killGrace, 0ms);
        QCOMPARE(spec.outputLimit, 0);
        QCOMPARE(spec.retry, RetryPolicy());
        QCOMPARE(Claim::decode(R"({"v":1})").slotCount, 1);
    }

    void aSpecOverTheCapIsRefused()
    {
        JobSpec spec = fullSpec();
        spec.command.append(QString(JobSpec::MaxSize, u'x'));
        QVERIFY_THROWS_EXCEPTION(SpecTooLarge, spec.encode());
    }

    // The cluster's own notes do not make a job too large that was not too large when it was submitted.
    void aSpecAtTheCapHasRoomForTheClustersNotes()
    {
        JobSpec spec = fullSpec();
        spec.command.append(QString());
        spec.command.back() = QString(JobSpec::MaxSize - spec.record().text.size(), u'x');
        QByteArray stored = spec.encode();
        QCOMPARE(JobRecord::parse(stored).text.size(), JobSpec::MaxSize);
        for (int i = 0; i < 3; ++i)
            stored = noted(stored, &JobNotes::countReturned);
        stored = noted(stored, &JobNotes::markCancelled);
        const JobSpec read = JobSpec::decode(stored, "default", 3);
        QCOMPARE(read.notes.returned, 3);
        QVERIFY(read.notes.cancelled);
        QCOMPARE(read.command, spec.command);
        // Three claims returned before the start, one that started, and the cancel of that.
        QCOMPARE(read.attempts(3 * 2 + 1 + 1).number(), 1);
        QCOMPARE(read.attempts(3 * 2 + 1 + 1).claimVersion, 7);
    }

    // In nanoseconds they would overflow; and SIGKILL comes within a day.
    void durationsAreBounded()
    {
        const QByteArray bytes = R"({"v":1,"cmd":["a"],"limit_ms":9007199254740992,"grace_ms":9007199254740992,)"
                                 R"("not_before_ms":9007199254740992,"retries":1,"backoff_ms":9007199254740992})";
        const JobSpec spec = JobSpec::decode(bytes, "default", 5);
        QCOMPARE(spec.timeLimit, drover::text::LastInstant);
        QCOMPARE(spec.killGrace, JobSpec::MaxKillGrace);
        QCOMPARE(spec.notes.notBefore, drover::text::LastInstant);
        QCOMPARE(spec.retry.firstDelay, drover::text::LastInstant);
        const std::chrono::nanoseconds sum = spec.timeLimit + std::chrono::nanoseconds(spec.notes.notBefore);
        QVERIFY(sum.count() > 0);
    }

    void malformedSpecsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no JSON") << QByteArray("\xff\x00nonsense");
        QTest::newRow("a list") << QByteArray("[1]");
        QTest::newRow("no version") << QByteArray(R"({"cmd":["a"]})");
        QTest::newRow("a later version") << QByteArray(R"({"v":3,"cmd":["a"]})");
        QTest::newRow("no text") << QByteArray(R"({"v":2,"cmd":["a"]})");
        QTest::newRow("a text that is no JSON") << QByteArray(R"({"v":2,"job":"cmd"})");
        QTest::newRow("notes that are none") << QByteArray(NotesAreAList);
        QTest::newRow("no command") << QByteArray(R"({"v":1})");
        QTest::newRow("empty command") << QByteArray(R"({"v":1,"cmd":[]})");
        QTest::newRow("empty program") << QByteArray(R"({"v":1,"cmd":[""]})");
        QTest::newRow("command of numbers") << QByteArray(R"({"v":1,"cmd":[1]})");
        QTest::newRow("wrong type") << QByteArray(R"({"v":1,"cmd":["a"],"limit_ms":"soon"})");
        QTest::newRow("negative time") << QByteArray(R"({"v":1,"cmd":["a"],"limit_ms":-1})");
        QTest::newRow("huge time") << QByteArray(R"({"v":1,"cmd":["a"],"limit_ms":1e300})");
        QTest::newRow("attempts of zero") << QByteArray(R"({"v":1,"cmd":["a"],"attempts":0})");
        QTest::newRow("broken environment") << QByteArray(R"({"v":1,"cmd":["a"],"env":{"A=B":"c"}})");
        QTest::newRow("deep nesting") << QByteArray(5000, '[');
    }
    void malformedSpecsAreRefused()
    {
        QFETCH(QByteArray, bytes);
        QVERIFY_THROWS_EXCEPTION(Malformed, JobSpec::decode(bytes, "default", 5));
    }

    void aRecordSurvivesItsEncoding()
    {
        FinalRecord record = FinalRecord::of({"default", 7}, fullSpec());
        record.outcome = FinalRecord::Outcome::Signalled;
        record.signal = 9;
        record.attempts.claimVersion = 2;
        record.worker = QStringLiteral("w1");
        record.cpuTime = 12ms;
        record.peakMemory = 1 << 20;
        record.outputTruncated = true;
        record.tail = QByteArray("\x00\xff tail", 7);
        const FinalRecord read = FinalRecord::decode(record.encode(), record.id);
        QCOMPARE(read.encode(), record.encode());
        QCOMPARE(read.tail, record.tail);
        QCOMPARE(read.tags, fullSpec().tags);
        QCOMPARE(read.exitCode(), 137);
        QCOMPARE(read.state(), JobState::Failed);
    }

    void aRecordHoldsTheJobForAnotherRun()
    {
        JobSpec spec = fullSpec();
        spec.notes.failed = 2;
        spec.notes.pending = 1;
        spec.singleton = true;
        const auto repeated = [](const JobSpec &of, const JobId &id) {
            return FinalRecord::decode(FinalRecord::of(id, of).encode(), id).jobToResubmit();
        };
        const JobSpec again = repeated(spec, {"gpu", 7}).value();
        QCOMPARE(again.queue, "gpu");
        QCOMPARE(again.name, spec.name);
        QCOMPARE(again.command, spec.command);
        QVERIFY(again.after.empty() && again.notes.heldBy.isEmpty() && again.dedupe.isEmpty() && again.key.isEmpty());
        QCOMPARE(repeated(JobSpec::decode(JobSpec::markReady(spec.encode()), "gpu", 3), {"gpu", 7}).value().singleton,
                 true);
        JobSpec expected = spec; // all else
        expected.after.clear();
        expected.notes.heldBy = expected.dedupe = expected.key = expected.submitter = QString();
        expected.notes.notBefore = expected.submittedAt = 0ms;
        expected.notes.failed = expected.notes.pending = 0;
        QCOMPARE(again.encode(), expected.encode());
        QCOMPARE(again.priority, spec.priority);

        spec.command.append(QString(5000, u'x')); // too long to be shown, and kept all the same
        QCOMPARE(repeated(spec, {"gpu", 7}).value().command, spec.command);
        spec.name = QString(2000, u'n');
        spec.tags = QStringList(40, QString(50, u't'));
        QCOMPARE(repeated(spec, {"gpu", 7}).value().name, spec.name);
        QCOMPARE(repeated(spec, {"gpu", 7}).value().tags, spec.tags);
        spec.command.append(QString(20'000, u'x'));
        QVERIFY(!repeated(spec, {"gpu", 7}));
        QVERIFY(!repeated(JobSpec(), {"gpu", 7})); // it could not be read
        QVERIFY(!repeated(fullSpec(), {"gpu", 7, 3})); // its array has it
    }

    // What it has written is elsewhere, too; the job is not.
    void theTailIsCutBeforeTheJob()
    {
        JobSpec spec = fullSpec();
        spec.environment[QStringLiteral("BIG")] = QString(12'000, u'x');
        FinalRecord record = FinalRecord::of({"default", 7}, spec);
        record.tail = QByteArray(FinalRecord::MaxTail, 't');
        const FinalRecord read = FinalRecord::decode(record.encode(), record.id);
        QCOMPARE(read.jobToResubmit().value().environment, spec.environment);
        QCOMPARE(read.tail, QByteArray(1024, 't'));
        // One byte more than fits: without the job, and with all of the tail.
        const qsizetype room = FinalRecord::MaxSize - read.encode().size();
        const auto withMore = [&](qsizetype more) {
            JobSpec larger = spec;
            larger.environment[QStringLiteral("BIG")] += QString(more, u'x');
            FinalRecord full = FinalRecord::of({"default", 7}, larger);
            full.tail = record.tail;
            return FinalRecord::decode(full.encode(), full.id);
        };
        QVERIFY(withMore(room).jobToResubmit());
        QVERIFY(!withMore(room + 1).jobToResubmit());
        QCOMPARE(withMore(room + 1).tail, record.tail);
    }

    void aRecordStaysUnderItsCapWhateverWasRun()
    {
        JobSpec spec = fullSpec();
        spec.command = QStringList(1, QString(60000, QChar(1)));
        spec.name = QString(5000, u'"');
        spec.tags = QStringList(900, QString(64, QChar(0x20ac)));
        FinalRecord record = FinalRecord::of({"default", 7}, spec);
        record.reason = QString(5000, QChar(2));
        record.tail = QByteArray(100000, '\xff');
        record.worker = QString(FinalRecord::MaxSize, u'w'); // as a foreign record may say
        QVERIFY2(record.encode().size() <= FinalRecord::MaxSize, qPrintable(QString::number(record.encode().size())));
    }

    void exitCodesAreTheShells_data()
    {
        QTest::addColumn<int>("outcome");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("expected");
        using Outcome = FinalRecord::Outcome;
        QTest::newRow("success") << int(Outcome::Exited) << 0 << 0 << 0;
        QTest::newRow("failure") << int(Outcome::Exited) << 3 << 0 << 3;
        QTest::newRow("signal") << int(Outcome::Signalled) << 0 << 15 << 143;
        QTest::newRow("time limit") << int(Outcome::TimedOut) << 0 << 15 << 124;
        QTest::newRow("no such command") << int(Outcome::NotStarted) << 127 << 0 << 127;
        QTest::newRow("gave up") << int(Outcome::GaveUp) << 0 << 0 << 125;
    }
    void exitCodesAreTheShells()
    {
        QFETCH(int, outcome);
        QFETCH(int, code);
        QFETCH(int, signal);
        FinalRecord record;
        record.outcome = static_cast<FinalRecord::Outcome>(outcome);
        record.code = code;
        record.signal = signal;
        QTEST(record.exitCode(), "expected");
    }

    void theOthersSurviveTheirEncoding()
    {
        Claim claim{QStringLiteral("w1"), {3, 0}, "q5-0000000042", true};
        claim.requeue = true;
        claim.addSignal(10, QStringLiteral("a"));
        claim.addSignal(12, QStringLiteral("b"));
        QCOMPARE(Claim::decode(claim.encode()).encode(), claim.encode());
        QCOMPARE(Claim::decode(claim.encode()).signalCount, 2);
        QCOMPARE(Claim::decode(claim.encode()).latestSignals, claim.latestSignals);
        QVERIFY(Claim::decode(claim.encode()).requeue);
        QVERIFY(claim.hasBegun() && claim.takesSlots());
        claim.prefetched = true;
        claim.attempts.notStarted = 2;
        QVERIFY(!Claim::decode(claim.encode()).hasBegun() && !Claim::decode(claim.encode()).takesSlots());
        QCOMPARE(Claim::decode(claim.encode()).state(), JobState::Waiting);
        QCOMPARE(Claim::decode(claim.encode()).attempts.number(), 1);
        WorkerInfo info;
        info.id = QStringLiteral("w1");
        info.queues = QStringList{QStringLiteral("default"), QStringLiteral("gpu")};
        info.slotCount = 4;
        info.history = QStringLiteral("host:/file");
        info.trouble = QStringLiteral("no memory");
        QCOMPARE(WorkerInfo::decode(info.encode()).encode(), info.encode());
        QCOMPARE(WorkerInfo::decode(info.encode()).trouble, info.trouble);
        QVERIFY(!WorkerInfo::decode(info.encode()).holdsBack);
        info.holdsBack = true;
        QVERIFY(WorkerInfo::decode(info.encode()).holdsBack);
        ClusterStats stats;
        stats.master = QStringLiteral("w1");
        stats.queues.push_back({"default", 5, 10});
        QCOMPARE(ClusterStats::decode(stats.encode()).encode(), stats.encode());
        QVERIFY(!ClusterStats::decode(stats.encode()).archive);
        stats.archive =
            ClusterStats::Archive{QStringLiteral("host:/file"), 3, QStringLiteral("full"), 1700000000123ms, 2};
        const ClusterStats read = ClusterStats::decode(stats.encode());
        QCOMPARE(read.encode(), stats.encode());
        QCOMPARE(read.archive->error, stats.archive->error);
        QCOMPARE(read.archive->failingSince, stats.archive->failingSince);
        QCOMPARE(read.archive->backlog.value_or(-1), 3);
        stats.archive->backlog.reset();
        QVERIFY(!ClusterStats::decode(stats.encode()).archive->backlog);
        QVERIFY_THROWS_EXCEPTION(Malformed, Claim::decode("{}"));
        for (const char *const name : {"a\u0001b", "a/b", ".."}) { // of no znode
            Claim hostile;
            hostile.worker = QString::fromUtf8(name);
            QVERIFY_THROWS_EXCEPTION(Malformed, Claim::decode(hostile.encode()));
            FinalRecord record;
            record.worker = hostile.worker;
            QVERIFY_THROWS_EXCEPTION(Malformed, FinalRecord::decode(record.encode(), {"default", 1}));
        }
        for (const char *const stored : {"null", R"({"v":1})", R"({"id":"w1","slots":0,"v":1})"})
            QVERIFY_THROWS_EXCEPTION(Malformed, WorkerInfo::decode(stored));
        QVERIFY_THROWS_EXCEPTION(Malformed, ClusterStats::decode(""));
    }
};

QTEST_GUILESS_MAIN(RecordsTest)
#include "records_test.moc"
