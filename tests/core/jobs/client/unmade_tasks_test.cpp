#include "core/jobs/job_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/unmade_tasks.h"
#include "jobs/client/wait_for_job.h"
#include "jobs/schedules/schedule_entry.h"
#include "jobs/signing/signer.h"
#include "support/closed_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Tasks that have neither a node nor a record. The test makes the tasks, as a master does.
class UnmadeTasksTest : public QObject
{
    Q_OBJECT

    static constexpr const char *Never = "cancelled before it was made";

    static JobId submitArray(JobCluster &fake, const char *indices)
    {
        JobSpec spec = JobCluster::spec();
        spec.name = QStringLiteral("render");
        spec.array = ArrayIndices::parse(QLatin1String(indices));
        return fake.submit(spec);
    }

    static zk::Path arrayPath(const JobCluster &fake, const JobId &array)
    {
        return fake.layout.job(array.queue, {QueueEntry::Class::Array, JobCluster::spec().priority, array.number});
    }
    static zk::Path taskPath(const JobCluster &fake, const JobId &array, qint32 index)
    {
        return fake.layout.job(array.queue,
                               {QueueEntry::Class::Ready, JobCluster::spec().priority, array.number, index});
    }

    // Makes so many tasks more.
    static void make(JobCluster &fake, const JobId &array, int count)
    {
        const FakeTree::Znode node = fake.node(arrayPath(fake, array));
        const ArrayIndices indices = *JobSpec::decode(node.data, array.queue, 5).array;
        ArrayProgress progress = ArrayProgress::of(node.data, indices);
        zk::Transaction transaction;
        for (const qint32 place : progress.expand(count, indices.count()))
            transaction.create(taskPath(fake, array, indices.at(place)), taskOf(node.data, indices.at(place)));
        transaction.set(arrayPath(fake, array), progress.mergedInto(node.data), node.stat.version);
        fake.commit(transaction);
    }

    static JobId taskOfArray(const JobId &array, qint32 index) { return {array.queue, array.number, index}; }
    static UnmadeTasks find(JobCluster &fake, const JobId &array, qint32 first, qint32 last)
    {
        return fake.run(findUnmade(fake.cluster(), {taskOfArray(array, first), last}));
    }
    static std::vector<qint32> indicesOf(const std::vector<JobId> &ids)
    {
        std::vector<qint32> indices;
        for (const JobId &id : ids)
            indices.push_back(id.task);
        return indices;
    }
    static std::vector<qint32> indicesOf(const std::vector<FinalRecord> &records)
    {
        std::vector<JobId> ids;
        for (const FinalRecord &record : records)
            ids.push_back(record.id);
        return indicesOf(ids);
    }
    using Indices = std::vector<qint32>;

private Q_SLOTS:
    void aRangeHasTasksThatAreToCome()
    {
        JobCluster fake;
        const JobId id = submitArray(fake, "0-90:10");
        make(fake, id, 2);
        QCOMPARE(indicesOf(find(fake, id, 5, 55).toCome), (Indices{20, 30, 40, 50}));
        QVERIFY(find(fake, id, 5, 55).neverMade.empty());
        QVERIFY(find(fake, id, 0, 15).toCome.empty());
        QCOMPARE(find(fake, id, 0, JobId::MaxTask).toCome.size(), 8u);
        QVERIFY(find(fake, {"default", id.number + 1}, 0, 9).toCome.empty());
    }

    // Otherwise the history is asked, which may be away.
    void anArrayThatIsThereIsSaidToBeKnown()
    {
        JobCluster fake;
        const JobId id = submitArray(fake, "0-9");
        make(fake, id, 10);
        QVERIFY(find(fake, id, 0, 9).toCome.empty() && find(fake, id, 0, 9).isArrayKnown);
        QVERIFY(!find(fake, {"default", id.number + 1}, 0, 9).isArrayKnown);
        fake.get(fake[0].remove(arrayPath(fake, id)));
        QVERIFY(!find(fake, id, 0, 9).isArrayKnown);
    }

    void aTaskThatIsToComeIsShown()
    {
        JobCluster fake;
        const JobId id = submitArray(fake, "0-9");
        make(fake, id, 2);
        const JobView next = fake.run(lookUpEvenUnmade(fake.cluster(), taskOfArray(id, 7)));
        QCOMPARE(next.id, taskOfArray(id, 7));
        QCOMPARE(next.state, JobState::Waiting);
        QCOMPARE(next.spec->name, QStringLiteral("render"));
        QVERIFY(!next.spec->array && !next.entry && !next.record);
        QCOMPARE(fake.run(lookUpEvenUnmade(fake.cluster(), taskOfArray(id, 1))).state, JobState::Ready);
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(lookUpEvenUnmade(fake.cluster(), taskOfArray(id, 10))));
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(lookUpEvenUnmade(fake.cluster(), {"default", 99, 1})));
    }

    // While the array runs, its node says so.
    void aTaskThatWasCancelledBeforeIsSaidToBe()
    {
        JobCluster fake;
        const JobId id = submitArray(fake, "0-9");
        make(fake, id, 2);
        fake.run(cancelUnexpandedTasks(fake.cluster(), id, 4, 5));
        for (int round = 0; round < 2; ++round) { // before its turn, and after
            const FinalRecord record = fake.run(waitForEnd(fake.cluster(), taskOfArray(id, 5)));
            QCOMPARE(record.id, taskOfArray(id, 5));
            QCOMPARE(record.outcome, FinalRecord::Outcome::Cancelled);
            QCOMPARE(record.reason, QLatin1String(Never));
            QCOMPARE(record.name, QStringLiteral("render"));
            QCOMPARE(record.exitCode(), 125);
            QCOMPARE(indicesOf(find(fake, id, 0, 9).neverMade), (Indices{4, 5}));
            make(fake, id, round == 0 ? 3 : 0);
        }
        QCOMPARE(indicesOf(find(fake, id, 0, 9).toCome), (Indices{7, 8, 9}));
        fake.run(cancel(fake.cluster(), id));
        QCOMPARE(indicesOf(find(fake, id, 0, 9).neverMade), (Indices{4, 5, 7, 8, 9}));
        QVERIFY(find(fake, id, 0, 9).toCome.empty());
    }

    // The ranges that the array has passed never become fewer, so larger ones would not help.
    void rangesThatAreReachedMakeRoomForOthers()
    {
        JobCluster fake;
        const JobId id = submitArray(fake, "0-999");
        const auto most = static_cast<qint32>(ArrayProgress::MaxSkipped);
        for (qint32 index = 1; index < 2 * most; index += 2)
            QCOMPARE(fake.run(cancelUnexpandedTasks(fake.cluster(), id, index, index)), 1);
        const auto cancelLater = [&] { return fake.run(cancelUnexpandedTasks(fake.cluster(), id, 900, 900)); };
        QVERIFY_THROWS_EXCEPTION(WrongState, cancelLater());
        QCOMPARE(fake.run(cancelUnexpandedTasks(fake.cluster(), id, 0, 2)), 3); // a larger range has several of them
        QCOMPARE(cancelLater(), 1);
        make(fake, id, most); // and passes all ranges but the last
        QCOMPARE(fake.run(cancelUnexpandedTasks(fake.cluster(), id, 950, 950)), 1);
        QCOMPARE(find(fake, id, 0, 999).neverMade.size(), static_cast<std::size_t>(most) + 4);
    }

    // Its tasks would be waited for without end, or be unknown.
    void anArrayThatIsCancelledBeforeItBeganMadeNone()
    {
        JobCluster fake;
        const JobId id = submitArray(fake, "0-90:10");
        fake.run(cancel(fake.cluster(), id));
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(indicesOf(find(fake, id, 11, 40).neverMade), (Indices{20, 30, 40}));
        const JobView view = fake.run(lookUpEvenUnmade(fake.cluster(), taskOfArray(id, 90)));
        QCOMPARE(view.state, JobState::Cancelled);
        QCOMPARE(view.record->reason, QLatin1String(Never));
        QCOMPARE(view.record->command, JobCluster::spec().command);
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(waitForEnd(fake.cluster(), taskOfArray(id, 15))));
    }

    // In a closed cluster the record has what was signed, in the place of what was submitted.
    void theRecordOfASignedArrayNamesUnmadeTasks()
    {
        JobCluster fake;
        const ClosedCluster closed;
        const Signer signer(closed.person(QStringLiteral("alice")));
        const JobId id = submitArray(fake, "0-90:10");
        JobSpec spec = *fake.view(id).spec;
        signer.setTerms(spec, fake[0].loop().wallClock());
        JobRecord record = spec.record();
        signer.sign(record);
        fake.write(arrayPath(fake, id), record.bytes());
        fake.run(cancel(fake.cluster(), id));
        QVERIFY(fake.recordOf(id).signedJob());
        QCOMPARE(indicesOf(find(fake, id, 11, 40).neverMade), (Indices{20, 30, 40}));
        QCOMPARE(fake.run(waitForEnd(fake.cluster(), taskOfArray(id, 90))).reason, QLatin1String(Never));
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(waitForEnd(fake.cluster(), taskOfArray(id, 15))));
    }

    // A signed tick's text is that of its schedule, and has the job in it.
    void theRecordOfAScheduledArrayNamesUnmadeTasks()
    {
        const ClosedCluster closed;
        const Signer signer(closed.person(QStringLiteral("alice")));
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobCluster::spec()};
        entry.job.array = ArrayIndices::parse(QStringLiteral("0-90:10"));
        signer.setTerms(entry.job, 1h);
        entry.signedText.text = entry.makeText("nightly");
        signer.sign(entry.signedText, trust::Purpose::Schedule);
        const QByteArray stored = entry.encodeJob(entry.jobAt("nightly", 24h));
        FinalRecord record = FinalRecord::of({"default", 7}, JobSpec::decode(stored, "default", 5));
        record.neverMade = PlaceSet({1, 3});
        record.keepSigned(stored, 5);
        QVERIFY(record.repeat.isEmpty());
        const FinalRecord read = FinalRecord::decode(record.encode(), record.id);
        QCOMPARE(indicesOf(read.neverMadeTasks(0, JobId::MaxTask)), (Indices{10, 30}));
    }

    // Of an array whose record does not say it, nothing is guessed: the task's record may have been removed.
    void unknownTasksAreNotGuessed()
    {
        JobCluster fake;
        const JobId id = submitArray(fake, "0-9");
        FinalRecord record = FinalRecord::of(id, fake.view(id).spec.value());
        record.outcome = FinalRecord::Outcome::Cancelled;
        fake.commit(zk::Transaction().remove(arrayPath(fake, id)).create(fake.layout.done(id), record.encode()));
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(waitForEnd(fake.cluster(), taskOfArray(id, 5))));
        QVERIFY(find(fake, id, 0, 9).neverMade.empty());
        QVERIFY(!fake.run(lookUpUnmade(fake.cluster(), taskOfArray(id, 5))));
    }

    void theRecordKeepsTheRanges()
    {
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices::parse(QStringLiteral("1-3,8,20-40:10%2")); // places 0 to 6
        FinalRecord record = FinalRecord::of({"default", 7}, spec);
        record.neverMade = PlaceSet({1, 3, 4, 6});
        const FinalRecord read = FinalRecord::decode(record.encode(), record.id);
        QCOMPARE(read.neverMade, record.neverMade);
        QCOMPARE(indicesOf(read.neverMadeTasks(0, JobId::MaxTask)), (Indices{2, 8, 20, 40}));
        QCOMPARE(indicesOf(read.neverMadeTasks(3, 39)), (Indices{8, 20}));
        QVERIFY(read.neverMadeTasks(41, 50).empty());
        QVERIFY_THROWS_EXCEPTION(Malformed,
                                 FinalRecord::decode(R"({"v":1,"outcome":"exited","never_made":"7-3"})", record.id));
        record.neverMade = {};
        for (qint32 place = 0; place < 400; place += 2)
            record.neverMade.append(100'000 + place);
        record.tail = QByteArray(FinalRecord::MaxTail, 'x');
        QVERIFY(record.encode().size() <= FinalRecord::MaxSize);
        QCOMPARE(FinalRecord::decode(record.encode(), record.id).neverMade, record.neverMade);
    }
};

QTEST_GUILESS_MAIN(UnmadeTasksTest)
#include "unmade_tasks_test.moc"
