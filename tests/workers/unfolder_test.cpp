#include "jobs/cancel.h"
#include "jobs/control.h"
#include "jobs/wait.h"
#include "workers/array_party.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Arrays in the hands of masters, on the in-memory ZooKeeper.
class UnfolderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    void anArrayBecomesItsTasksAndEndsWithThem()
    {
        ArrayParty party;
        party.lead(1);
        JobSpec spec = ArrayParty::arraySpec("10-70:10");
        spec.priority = 3;
        spec.name = QStringLiteral("many");
        const JobId id = party.submit(spec);
        party.settle(1s);
        const std::vector<QueueEntry> tasks = party.tasksOf(id);
        QCOMPARE(tasks.size(), 7u);
        QCOMPARE(tasks.front().name(), QByteArray("q3-0000000000.10"));
        QCOMPARE(tasks.back().task, 70);
        const JobView task = party.view(tasks[1].idIn("default"));
        QCOMPARE(task.state, JobState::Ready);
        QCOMPARE(task.version, 0);
        QCOMPARE(task.spec->arrayCount, 7);
        QCOMPARE(task.spec->name, QStringLiteral("many"));
        QVERIFY(task.spec->key.isEmpty() && !task.spec->array);
        QCOMPARE(party.view(id).state, JobState::Running);

        for (int i = 0; i < 4; ++i)
            party.endTask(tasks[std::size_t(i)], i == 2 ? 9 : 0);
        party.settle(1s);
        const JobView array = party.view(id);
        QCOMPARE(array.progress->toString(7), QStringLiteral("4/7, 1 failed"));
        QCOMPARE(array.attempts, 1);

        const FinalRecord record = party.work(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::Exited);
        QCOMPARE(record.exitCode(), 9);
        QCOMPARE(record.reason, QStringLiteral("7 tasks: 6 ok, 1 failed"));
        QCOMPARE(record.name, QStringLiteral("many"));
        QVERIFY(record.startedAt.count() > 0 && record.startedAt <= record.finishedAt);
        QVERIFY(party.childrenOf(party.layout.queue("default")).isEmpty());
        QCOMPARE(party.remade(), 0);
    }

    void whoWaitsForItHearsOfItsBeginningAndEnd()
    {
        ArrayParty party(2);
        const JobId id = party.submitArray("1-3");
        async::TaskGroup waiting;
        bool begun = false;
        std::optional<FinalRecord> end;
        const auto awaitBoth = [](ArrayParty &cluster, JobId array, bool &started,
                                  std::optional<FinalRecord> &ended) -> async::Task<void> {
            co_await waitForStart(cluster[2], cluster.layout, array);
            started = true;
            ended = co_await waitForEnd(cluster[2], cluster.layout, array);
        };
        waiting.spawn(awaitBoth(party, id, begun, end));
        party.settle(1s);
        QVERIFY(!begun);
        party.lead(1);
        party.settle(2s);
        QVERIFY(begun && !end);
        party.work(id);
        party.settle(1s);
        QVERIFY(end && end->state() == JobState::Succeeded);
    }

    void noMoreThanItsLimitAreOpen()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("0-19%3");
        QCOMPARE(party.work(id).reason, QStringLiteral("20 tasks: 20 ok"));
        QCOMPARE(party.mostOpen, 3u);
        QCOMPARE(party.made.size(), 20u);
        QCOMPARE(party.remade(), 0);
    }

    void aLargeArrayIsNeverThereAsAWhole()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-5000");
        const FinalRecord record = party.work(id, [](qint32 index) { return index % 1000 == 0 ? 1 : 0; });
        QCOMPARE(record.reason, QStringLiteral("5,000 tasks: 4,995 ok, 5 failed"));
        QCOMPARE(int(party.mostOpen), workers::OpenShare::Most);
        QCOMPARE(party.made.size(), 5000u);
        QCOMPARE(party.remade(), 0);
    }

    void largeSpecsShareATransactionAsFarAsTheyFit()
    {
        ArrayParty party;
        party.lead(1);
        JobSpec spec = ArrayParty::arraySpec("1-50");
        spec.command.append(QString(60'000, u'x'));
        QCOMPARE(party.work(party.submit(spec)).exitCode(), 0);
        QVERIFY(party.largest < 600 * 1024);
        QVERIFY(party.largest > 300 * 1024);
    }

    // To ask the worker of a running task its whole spec is written: fifty in one were more than a server takes.
    void largeTasksThatRunAreCancelledTogetherAsFarAsTheyFit()
    {
        ArrayParty party;
        party.lead(1);
        JobSpec spec = ArrayParty::arraySpec("1-50");
        spec.command.append(QString(30'000, u'x'));
        const JobId id = party.submit(spec);
        party.settle(1s);
        const std::vector<QueueEntry> tasks = party.tasksOf(id);
        QCOMPARE(tasks.size(), 50u);
        for (const QueueEntry &task : tasks) {
            const zk::Path path = party.layout.job("default", task);
            const Claim claim{QStringLiteral("w"), 1, task.name(), false};
            party.commit(
                zk::Transaction()
                    .set(path, party.node(path).data, 0)
                    .create(party.layout.claim(task.idIn("default")), claim.encode(), zk::CreateMode::Ephemeral));
        }
        party.run(cancel(party[0], party.layout, id));
        party.settle(5s);
        for (const QueueEntry &task : tasks)
            QVERIFY(Claim::decode(party.node(party.layout.claim(task.idIn("default"))).data).cancelled);
        QVERIFY(party.largest < 600 * 1024);
    }

    void manyArraysTakeTurns()
    {
        ArrayParty party;
        std::vector<JobId> ids;
        for (int i = 0; i < workers::ArrayQueue::MaxArrays + 20; ++i)
            ids.push_back(party.submitArray("1-2"));
        party.lead(1);
        party.settle(3s);
        const auto begun = [&](const JobId &id) { return !party.tasksOf(id).empty(); };
        QCOMPARE(std::count_if(ids.begin(), ids.end(), begun), workers::ArrayQueue::MaxArrays);
        for (const JobId &id : ids)
            QCOMPARE(party.work(id).exitCode(), 0);
    }

    // It was counted as cancelled: its record had been removed before the array's turn came again.
    void theRecordsOfArraysThatWaitForTheirTurnStay()
    {
        ArrayParty party;
        ClusterConfig config;
        config.doneLimit = 5;
        party.write(party.layout.config(), config.encode());
        party.lead(1);
        JobSpec spec = ArrayParty::arraySpec("1-1");
        spec.priority = 3;
        const JobId id = party.submit(spec);
        party.settle(1s);
        const QueueEntry task = party.tasksOf(id).front();
        std::vector<JobId> others;
        for (int i = 0; i < workers::ArrayQueue::MaxArrays; ++i)
            others.push_back(party.submitArray("1-1"));
        party.settle(500ms);
        party.run(setPriority(party[0], party.layout, id, 5));
        party.settle(500ms);
        party.endTask(task);
        for (int i = 1000; i < 1020; ++i) {
            const JobId other{"other", i};
            party.write(party.layout.done(other), FinalRecord::of(other, JobParty::spec()).encode());
        }
        party.settle(3s); // less than until one of the others steps aside
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 5);
        for (const JobId &other : others)
            party.endTask(party.tasksOf(other).front());
        party.settle(5s);
        QCOMPARE(party.recordOf(id).reason, QStringLiteral("1 task: 1 ok"));
    }

    void aTaskThatIsTriedAgainStaysOpen()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-2%1");
        party.settle(1s);
        QueueEntry task = party.tasksOf(id).front();
        QueueEntry later = task;
        later.jobClass = QueueEntry::Class::Held;
        party.commit(
            zk::Transaction()
                .remove(party.layout.job("default", task))
                .create(party.layout.job("default", later), party.node(party.layout.job("default", task)).data));
        party.settle(2s);
        QCOMPARE(party.tasksOf(id), std::vector<QueueEntry>{later});
        QCOMPARE(party.work(id).reason, QStringLiteral("2 tasks: 2 ok"));
    }

    void whatIsDeletedByHandIsCountedAsCancelled()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-5");
        party.settle(1s);
        party.commit(zk::Transaction().remove(party.layout.job("default", party.tasksOf(id)[3])));
        const FinalRecord record = party.work(id);
        QCOMPARE(record.reason, QStringLiteral("5 tasks: 4 ok, 1 cancelled"));
        QCOMPARE(record.state(), JobState::Failed);
        QCOMPARE(record.exitCode(), 125);
    }

    void whatIsThereByHandIsTheTask()
    {
        ArrayParty party;
        const JobId id = party.submitArray("1-5");
        party.write(party.layout.job("default", {QueueEntry::Class::Ready, 5, id.number, 2}),
                    JobParty::spec().encode());
        party.lead(1);
        party.settle(1s);
        QCOMPARE(party.tasksOf(id).size(), 5u);
        QCOMPARE(party.work(id).reason, QStringLiteral("5 tasks: 5 ok"));
    }

    void anArrayThatIsDeletedLeavesItsTasksAlone()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-5");
        party.settle(1s);
        party.commit(zk::Transaction().remove(party.layout.job("default", *party.view(id).entry)));
        party.endTask(party.tasksOf(id).front());
        party.settle(2s);
        QCOMPARE(party.tasksOf(id).size(), 4u);
        QCOMPARE(party.work(party.submitArray("1-5")).exitCode(), 0);
    }

    void malformedArraysEnd()
    {
        ArrayParty party;
        const zk::Path first = party.layout.queue("default") / "a5-0000000007";
        const zk::Path second = party.layout.queue("default") / "a5-0000000008";
        const zk::Path third = party.layout.queue("default") / "a5-0000000009";
        party.write(first, "nonsense");
        party.write(second, JobParty::spec().encode());
        party.write(third, R"({"v":1,"cmd":["a"],"array":"1-9","progress":{"v":1,"next":3}})");
        party.lead(1);
        party.settle(3s);
        for (int number = 7; number <= 9; ++number)
            QCOMPARE(party.recordOf({"default", number}).outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(party.childrenOf(party.layout.queue("default")).isEmpty());
    }

    void anArrayWaitsForWhatItWasToldToWaitFor()
    {
        ArrayParty party;
        party.lead(1);
        const JobId before = party.submit();
        JobSpec spec = ArrayParty::arraySpec("1-3");
        spec.after = {{Dependency::Kind::Ok, before}};
        const JobId id = party.submit(spec);
        party.settle(2s);
        QCOMPARE(party.view(id).state, JobState::Waiting);
        QVERIFY(party.tasksOf(id).empty());
        party.end(before, FinalRecord::of(before, JobParty::spec()));
        QCOMPARE(party.work(id).reason, QStringLiteral("3 tasks: 3 ok"));
    }

    void recordsThatAreToBeCountedAreNotTrimmed()
    {
        ArrayParty party;
        ClusterConfig config;
        config.doneLimit = 3;
        party.write(party.layout.config(), config.encode());
        party.lead(1);
        const JobId id = party.submitArray("1-300%20");
        QCOMPARE(party.work(id).reason, QStringLiteral("300 tasks: 300 ok"));
        party.settle(5s);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 3);
    }

    void oneThatIsHeldGoesNoFurther()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-10%2");
        party.settle(1s);
        party.run(hold(party[0], party.layout, id, QStringLiteral("me")));
        QCOMPARE(party.view(id).state, JobState::Held);
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(hold(party[0], party.layout, id, QStringLiteral("you"))));
        party.settle(1s);
        for (const QueueEntry &entry : party.tasksOf(id))
            party.endTask(entry);
        party.settle(1s);
        QVERIFY(party.tasksOf(id).empty());
        QCOMPARE(party.view(id).progress->ok, 2);
        party.run(release(party[0], party.layout, id));
        QCOMPARE(party.view(id).state, JobState::Running);
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(release(party[0], party.layout, id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(requeue(party[0], party.layout, id)));
        QVERIFY_THROWS_EXCEPTION(WrongState,
                                 party.run(moveToQueue(party[0], party.layout, id, "default", ClusterConfig())));
        QCOMPARE(party.work(id).reason, QStringLiteral("10 tasks: 10 ok"));
    }

    void oneThatIsCancelledWhileItIsHeldEnds()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-10%2");
        party.settle(1s);
        party.run(hold(party[0], party.layout, id, QStringLiteral("me")));
        party.run(cancel(party[0], party.layout, id));
        party.settle(2s);
        QCOMPARE(party.recordOf(id).reason, QStringLiteral("10 tasks: 0 ok, 10 cancelled"));
    }

    void tasksAreCancelledBeforeTheyAreUnfolded()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-10%2");
        party.settle();
        QCOMPARE(party.tasksOf(id).size(), 2u);
        const auto cancelTasks = [&](qint32 first, qint32 last) {
            return party.run(cancelUnfoldedLater(party[0], party.layout, id, first, last));
        };
        QCOMPARE(cancelTasks(1, 4), 2); // 1 and 2 are there
        QCOMPARE(cancelTasks(3, 4), 2); // again
        QCOMPARE(cancelTasks(9, 100), 2); // to the end
        QCOMPARE(cancelTasks(11, 20), 0);
        std::set<qint32> ran;
        const FinalRecord record = party.work(id, [&](qint32 index) {
            ran.insert(index);
            return 0;
        });
        QCOMPARE(ran, (std::set<qint32>{1, 2, 5, 6, 7, 8}));
        QCOMPARE(record.reason, QStringLiteral("10 tasks: 6 ok, 4 cancelled"));
        QCOMPARE(record.exitCode(), 125);
        const JobId gone{"default", 4711};
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(cancelUnfoldedLater(party[0], party.layout, gone, 1, 2)));
    }

    void anArrayCanBeCancelledTaskByTaskBeforeItBegins()
    {
        ArrayParty party;
        const JobId id = party.submitArray("1-3");
        QCOMPARE(party.run(cancelUnfoldedLater(party[0], party.layout, id, 1, 3)), 3);
        party.lead(1);
        party.settle(5s);
        QCOMPARE(party.recordOf(id).reason, QStringLiteral("3 tasks: 0 ok, 3 cancelled"));
        QVERIFY(party.made.empty());
    }

    void anotherPriorityIsThatOfTheTasksToCome()
    {
        ArrayParty party;
        party.lead(1);
        const JobId id = party.submitArray("1-10%2");
        party.settle(1s);
        party.endTask(party.tasksOf(id).front());
        party.run(setPriority(party[0], party.layout, id, 1));
        party.settle(1s);
        QCOMPARE(party.tasksOf(id).front().name(), QByteArray("q1-0000000000.3"));
        QCOMPARE(party.work(id).reason, QStringLiteral("10 tasks: 10 ok"));
        QCOMPARE(party.made.size(), 10u);
        QCOMPARE(party.remade(), 0);
    }
};

QTEST_GUILESS_MAIN(UnfolderTest)
#include "unfolder_test.moc"
