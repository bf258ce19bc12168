#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/client/wait_for_job.h"
#include "workers/master/arrays/array_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Arrays in the hands of masters, on the in-memory ZooKeeper.
class ArrayExpanderTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anArrayBecomesItsTasksAndEndsWithThem()
    {
        ArrayCluster fake;
        fake.lead(1);
        JobSpec spec = ArrayCluster::arraySpec("10-70:10");
        spec.priority = 3;
        spec.name = QStringLiteral("many");
        const JobId id = fake.submit(spec);
        fake.settle(1s);
        const std::vector<QueueEntry> tasks = fake.tasksOf(id);
        QCOMPARE(tasks.size(), 7u);
        QCOMPARE(tasks.front().name(), QByteArray("q3-0000000000.10"));
        QCOMPARE(tasks.back().task, 70);
        const JobView task = fake.view(tasks[1].idIn("default"));
        QCOMPARE(task.state, JobState::Ready);
        QCOMPARE(task.version, 0);
        QCOMPARE(task.spec->arrayCount, 7);
        QCOMPARE(task.spec->name, QStringLiteral("many"));
        QVERIFY(task.spec->key.isEmpty() && !task.spec->array);
        QCOMPARE(fake.view(id).state, JobState::Running);

        for (int i = 0; i < 4; ++i)
            fake.endTask(tasks[std::size_t(i)], i == 2 ? 9 : 0);
        fake.settle(1s);
        const JobView array = fake.view(id);
        QCOMPARE(array.progress->toString(7), QStringLiteral("4/7, 1 failed"));
        QCOMPARE(array.attempts, 1);

        const FinalRecord record = fake.work(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::Exited);
        QCOMPARE(record.exitCode(), 9);
        QCOMPARE(record.reason, QStringLiteral("7 tasks: 6 ok, 1 failed"));
        QCOMPARE(record.name, QStringLiteral("many"));
        QVERIFY(record.startedAt.count() > 0 && record.startedAt <= record.finishedAt);
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
        QCOMPARE(fake.remade(), 0);
    }

    void waitingClientsLearnOfBeginningAndEnd()
    {
        ArrayCluster fake(2);
        const JobId id = fake.submitArray("1-3");
        async::TaskGroup waiting;
        bool begun = false;
        std::optional<FinalRecord> end;
        const auto awaitBoth = [](ArrayCluster &cluster, JobId array, bool &started,
                                  std::optional<FinalRecord> &ended) -> async::Task<void> {
            co_await waitForStart(Cluster(cluster[2], cluster.layout), array);
            started = true;
            ended = co_await waitForEnd(Cluster(cluster[2], cluster.layout), array);
        };
        waiting.spawn(awaitBoth(fake, id, begun, end));
        fake.settle(1s);
        QVERIFY(!begun);
        fake.lead(1);
        fake.settle(2s);
        QVERIFY(begun && !end);
        fake.work(id);
        fake.settle(1s);
        QVERIFY(end && end->state() == JobState::Succeeded);
    }

    void noMoreThanItsLimitAreOpen()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("0-19%3");
        QCOMPARE(fake.work(id).reason, QStringLiteral("20 tasks: 20 ok"));
        QCOMPARE(fake.mostOpen, 3u);
        QCOMPARE(fake.made.size(), 20u);
        QCOMPARE(fake.remade(), 0);
    }

    void aLargeArrayIsNeverThereAsAWhole()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-5000");
        const FinalRecord record = fake.work(id, [](qint32 index) { return index % 1000 == 0 ? 1 : 0; });
        QCOMPARE(record.reason, QStringLiteral("5,000 tasks: 4,995 ok, 5 failed"));
        QCOMPARE(int(fake.mostOpen), workers::OpenShare::Most);
        QCOMPARE(fake.made.size(), 5000u);
        QCOMPARE(fake.remade(), 0);
    }

    void largeSpecsShareATransactionAsFarAsTheyFit()
    {
        ArrayCluster fake;
        fake.lead(1);
        JobSpec spec = ArrayCluster::arraySpec("1-50");
        spec.command.append(QString(60'000, u'x'));
        QCOMPARE(fake.work(fake.submit(spec)).exitCode(), 0);
        QVERIFY(fake.largest < 600 * 1024);
        QVERIFY(fake.largest > 300 * 1024);
    }

    // To ask the worker of a running task its whole spec is written: fifty in one were more than a server takes.
    void largeTasksThatRunAreCancelledTogetherAsFarAsTheyFit()
    {
        ArrayCluster fake;
        fake.lead(1);
        JobSpec spec = ArrayCluster::arraySpec("1-50");
        spec.command.append(QString(30'000, u'x'));
        const JobId id = fake.submit(spec);
        fake.settle(1s);
        const std::vector<QueueEntry> tasks = fake.tasksOf(id);
        QCOMPARE(tasks.size(), 50u);
        for (const QueueEntry &task : tasks) {
            const zk::Path path = fake.layout.job("default", task);
            const Claim claim{QStringLiteral("w"), {1, 0}, task.name(), false};
            fake.commit(
                zk::Transaction()
                    .set(path, fake.node(path).data, 0)
                    .create(fake.layout.claim(task.idIn("default")), claim.encode(), zk::CreateMode::Ephemeral));
        }
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(5s);
        for (const QueueEntry &task : tasks)
            QVERIFY(Claim::decode(fake.node(fake.layout.claim(task.idIn("default"))).data).cancelled);
        QVERIFY(fake.largest < 600 * 1024);
    }

    void manyArraysTakeTurns()
    {
        ArrayCluster fake;
        std::vector<JobId> ids;
        for (int i = 0; i < workers::ArrayPlaces::MaxArrays + 20; ++i)
            ids.push_back(fake.submitArray("1-2"));
        fake.lead(1);
        fake.settle(3s);
        const auto begun = [&](const JobId &id) { return !fake.tasksOf(id).empty(); };
        QCOMPARE(std::count_if(ids.begin(), ids.end(), begun), workers::ArrayPlaces::MaxArrays);
        for (const JobId &id : ids)
            QCOMPARE(fake.work(id).exitCode(), 0);
    }

    // It was counted as cancelled: its record had been removed before the array's turn came again.
    void theRecordsOfArraysThatWaitForTheirTurnStay()
    {
        ArrayCluster fake;
        ClusterConfig config;
        config.doneLimit = 5;
        fake.write(fake.layout.config(), config.encode());
        fake.lead(1);
        JobSpec spec = ArrayCluster::arraySpec("1-1");
        spec.priority = 3;
        const JobId id = fake.submit(spec);
        fake.settle(1s);
        const QueueEntry task = fake.tasksOf(id).front();
        std::vector<JobId> others;
        for (int i = 0; i < workers::ArrayPlaces::MaxArrays; ++i)
            others.push_back(fake.submitArray("1-1"));
        fake.settle(500ms);
        fake.run(setPriority(Cluster(fake[0], fake.layout), id, 5));
        fake.settle(500ms);
        fake.endTask(task);
        for (int i = 1000; i < 1020; ++i) {
            const JobId other{"other", i};
            fake.write(fake.layout.done(other), FinalRecord::of(other, JobCluster::spec()).encode());
        }
        fake.settle(3s); // less than until one of the others steps aside
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 5);
        for (const JobId &other : others)
            fake.endTask(fake.tasksOf(other).front());
        fake.settle(5s);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("1 task: 1 ok"));
    }

    void aTaskThatIsTriedAgainStaysOpen()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-2%1");
        fake.settle(1s);
        QueueEntry task = fake.tasksOf(id).front();
        QueueEntry later = task;
        later.jobClass = QueueEntry::Class::Held;
        fake.commit(zk::Transaction()
                        .remove(fake.layout.job("default", task))
                        .create(fake.layout.job("default", later), fake.node(fake.layout.job("default", task)).data));
        fake.settle(2s);
        QCOMPARE(fake.tasksOf(id), std::vector<QueueEntry>{later});
        QCOMPARE(fake.work(id).reason, QStringLiteral("2 tasks: 2 ok"));
    }

    void tasksDeletedByHandCountAsCancelled()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-5");
        fake.settle(1s);
        fake.commit(zk::Transaction().remove(fake.layout.job("default", fake.tasksOf(id)[3])));
        const FinalRecord record = fake.work(id);
        QCOMPARE(record.reason, QStringLiteral("5 tasks: 4 ok, 1 cancelled"));
        QCOMPARE(record.state(), JobState::Failed);
        QCOMPARE(record.exitCode(), 125);
    }

    void aTaskMadeByHandIsTheTask()
    {
        ArrayCluster fake;
        const JobId id = fake.submitArray("1-5");
        fake.write(fake.layout.job("default", {QueueEntry::Class::Ready, 5, id.number, 2}),
                   JobCluster::spec().encode());
        fake.lead(1);
        fake.settle(1s);
        QCOMPARE(fake.tasksOf(id).size(), 5u);
        QCOMPARE(fake.work(id).reason, QStringLiteral("5 tasks: 5 ok"));
    }

    void anArrayThatIsDeletedLeavesItsTasksAlone()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-5");
        fake.settle(1s);
        fake.commit(zk::Transaction().remove(fake.layout.job("default", *fake.view(id).entry)));
        fake.endTask(fake.tasksOf(id).front());
        fake.settle(2s);
        QCOMPARE(fake.tasksOf(id).size(), 4u);
        QCOMPARE(fake.work(fake.submitArray("1-5")).exitCode(), 0);
    }

    void malformedArraysEnd()
    {
        ArrayCluster fake;
        const zk::Path first = fake.layout.queue("default") / "a5-0000000007";
        const zk::Path second = fake.layout.queue("default") / "a5-0000000008";
        const zk::Path third = fake.layout.queue("default") / "a5-0000000009";
        fake.write(first, "nonsense");
        fake.write(second, JobCluster::spec().encode());
        fake.write(third, R"({"v":1,"cmd":["a"],"array":"1-9","progress":{"v":1,"next":3}})");
        fake.lead(1);
        fake.settle(3s);
        for (int number = 7; number <= 9; ++number)
            QCOMPARE(fake.recordOf({"default", number}).outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
    }

    void anArrayWaitsForItsDependencies()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId before = fake.submit();
        JobSpec spec = ArrayCluster::arraySpec("1-3");
        spec.after = {{Dependency::Kind::Ok, before}};
        const JobId id = fake.submit(spec);
        fake.settle(2s);
        QCOMPARE(fake.view(id).state, JobState::Waiting);
        QVERIFY(fake.tasksOf(id).empty());
        fake.end(before, FinalRecord::of(before, JobCluster::spec()));
        QCOMPARE(fake.work(id).reason, QStringLiteral("3 tasks: 3 ok"));
    }

    void recordsThatAreToBeCountedAreNotTrimmed()
    {
        ArrayCluster fake;
        ClusterConfig config;
        config.doneLimit = 3;
        fake.write(fake.layout.config(), config.encode());
        fake.lead(1);
        const JobId id = fake.submitArray("1-300%20");
        QCOMPARE(fake.work(id).reason, QStringLiteral("300 tasks: 300 ok"));
        fake.settle(5s);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 3);
    }

    void aHeldArrayExpandsNoFurther()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-10%2");
        fake.settle(1s);
        fake.run(hold(Cluster(fake[0], fake.layout), id, QStringLiteral("me")));
        QCOMPARE(fake.view(id).state, JobState::Held);
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(hold(Cluster(fake[0], fake.layout), id, QStringLiteral("you"))));
        fake.settle(1s);
        for (const QueueEntry &entry : fake.tasksOf(id))
            fake.endTask(entry);
        fake.settle(1s);
        QVERIFY(fake.tasksOf(id).empty());
        QCOMPARE(fake.view(id).progress->ok, 2);
        fake.run(release(Cluster(fake[0], fake.layout), id));
        QCOMPARE(fake.view(id).state, JobState::Running);
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(release(Cluster(fake[0], fake.layout), id)));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(requeue(Cluster(fake[0], fake.layout), id)));
        QVERIFY_THROWS_EXCEPTION(WrongState,
                                 fake.run(moveToQueue(Cluster(fake[0], fake.layout), id, "default", ClusterConfig())));
        QCOMPARE(fake.work(id).reason, QStringLiteral("10 tasks: 10 ok"));
    }

    void anArrayThatIsCancelledWhileHeldEnds()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-10%2");
        fake.settle(1s);
        fake.run(hold(Cluster(fake[0], fake.layout), id, QStringLiteral("me")));
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(2s);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("10 tasks: 0 ok, 10 cancelled"));
    }

    // Its node is written by hand while it is at work.
    void anArrayMayBecomeAGangAndBackAgain()
    {
        ArrayCluster fake;
        const zk::Path path = fake.layout.job("default", {QueueEntry::Class::Array, 5, 77});
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{0, 1, 1, 0};
        spec.notes.heldBy = QStringLiteral("me");
        fake.commit(zk::Transaction().create(path, spec.encode()));
        fake.lead(1);
        fake.settle(2s);
        spec.notes.heldBy.clear();
        spec.gang = 2;
        fake.write(path, spec.encode());
        fake.submitArray("1"); // tells the master
        fake.settle(5s);
        QVERIFY(fake.tasksOf({"default", 77}).empty()); // no worker has places for its members
        spec.gang = 0;
        fake.write(path, spec.encode());
        fake.submitArray("1");
        fake.settle(5s);
        QCOMPARE(fake.tasksOf({"default", 77}).size(), 2u);
    }

    void tasksAreCancelledBeforeTheyAreExpanded()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-10%2");
        fake.settle();
        QCOMPARE(fake.tasksOf(id).size(), 2u);
        const auto cancelTasks = [&](qint32 first, qint32 last) {
            return fake.run(cancelUnexpandedTasks(Cluster(fake[0], fake.layout), id, first, last));
        };
        QCOMPARE(cancelTasks(1, 4), 2); // 1 and 2 are there
        QCOMPARE(cancelTasks(3, 4), 2); // again
        QCOMPARE(cancelTasks(9, 100), 2); // to the end
        QCOMPARE(cancelTasks(11, 20), 0);
        std::set<qint32> ran;
        const FinalRecord record = fake.work(id, [&](qint32 index) {
            ran.insert(index);
            return 0;
        });
        QCOMPARE(ran, (std::set<qint32>{1, 2, 5, 6, 7, 8}));
        QCOMPARE(record.reason, QStringLiteral("10 tasks: 6 ok, 4 cancelled"));
        QCOMPARE(record.exitCode(), 125);
        std::set<qint32> neverMade;
        for (const FinalRecord &task : record.neverMadeTasks(0, JobId::MaxTask))
            neverMade.insert(task.id.task);
        QCOMPARE(neverMade, (std::set<qint32>{3, 4, 9, 10}));
        const JobId gone{"default", 4711};
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(cancelUnexpandedTasks(Cluster(fake[0], fake.layout), gone, 1, 2)));
    }

    void anArrayCanBeCancelledTaskByTaskBeforeItBegins()
    {
        ArrayCluster fake;
        const JobId id = fake.submitArray("1-3");
        QCOMPARE(fake.run(cancelUnexpandedTasks(Cluster(fake[0], fake.layout), id, 1, 3)), 3);
        fake.lead(1);
        fake.settle(5s);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("3 tasks: 0 ok, 3 cancelled"));
        QVERIFY(fake.made.empty());
    }

    void anotherPriorityIsThatOfTheTasksToCome()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-10%2");
        fake.settle(1s);
        fake.endTask(fake.tasksOf(id).front());
        fake.run(setPriority(Cluster(fake[0], fake.layout), id, 1));
        fake.settle(1s);
        QCOMPARE(fake.tasksOf(id).front().name(), QByteArray("q1-0000000000.3"));
        QCOMPARE(fake.work(id).reason, QStringLiteral("10 tasks: 10 ok"));
        QCOMPARE(fake.made.size(), 10u);
        QCOMPARE(fake.remade(), 0);
    }
};

QTEST_GUILESS_MAIN(ArrayExpanderTest)
#include "array_expander_test.moc"
