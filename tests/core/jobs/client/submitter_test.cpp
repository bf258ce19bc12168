#include "core/jobs/job_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// The numbers that jobs got which were submitted all at once, by the order of the calls.
using Numbers = std::map<int, int>;

async::Task<void> submitNext(Submitter &submitter, int call, Numbers &numbers)
{
    const JobSpec spec = JobCluster::spec();
    try {
        const JobId id = co_await submitter.submit(spec);
        numbers[call] = id.number;
    } catch (const QueueFull &) {
    }
}

Numbers inOrder(int count)
{
    Numbers numbers;
    for (int i = 0; i < count; ++i)
        numbers[i] = i;
    return numbers;
}

// Many who submit at once to a queue of two, and wait for room.
struct FullQueue {
    FullQueue(JobCluster &fake, int calls)
        : submitter(fake.cluster(1), limitOfTwo(fake), [this](const QByteArray &, qint64) { ++told; })
    {
        for (int call = 0; call < calls; ++call)
            submitting.spawn(submitNext(submitter, call, numbers));
    }

    static ClusterConfig limitOfTwo(JobCluster &fake)
    {
        ClusterConfig config;
        config.queueLimit = 2;
        fake.commit(zk::Transaction().set(fake.layout.config(), config.encode()));
        return config;
    }

    Numbers numbers;
    int told = 0;
    Submitter submitter;
    async::TaskGroup submitting;
};

} // namespace

class SubmitterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anAcknowledgedJobIsInItsQueue()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        QCOMPARE(id.toString(), QStringLiteral("default-0"));
        const FakeTree::Znode *node = fake.server.tree().find(fake.layout.queue("default") / "q5-0000000000");
        QVERIFY(node);
        QCOMPARE(JobSpec::decode(node->data, "default", 5).command, JobCluster::spec().command);
        QCOMPARE(fake.submit().number, 1);
    }

    void itIsOneRoundTripAfterTheFirst()
    {
        JobCluster fake(2, {.latency = 5ms});
        Submitter submitter(fake.cluster(1), {});
        fake.run(submitter.submit(JobCluster::spec()));
        const async::TimePoint before = fake.world.now();
        fake.run(submitter.submit(JobCluster::spec()));
        QCOMPARE(fake.world.now() - before, async::Duration(10ms));
    }

    // The search for it costs a round trip for each 64 jobs of the queue, not one for each job.
    void theSearchAfterALostReplyIsPipelined()
    {
        constexpr int Others = 200;
        FaultPlan plan;
        plan.longestBreak = 0ms;
        plan.scripted[2] = Fault::LoseReply;
        FaultInjector faults(plan);
        JobCluster fake(2, {.latency = 5ms, .faults = &faults});
        for (int i = 0; i < Others; ++i)
            fake.submit();
        const async::TimePoint before = fake.world.now();
        QCOMPARE(fake.submit(1).number, Others);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        // Count the queue's jobs, create, connect again, sync, list, four flights.
        QVERIFY2(fake.world.now() - before <= 20 * 10ms,
                 qPrintable(QString::number((fake.world.now() - before) / 1ms)));
    }

    void aFullQueueIsRefused()
    {
        JobCluster fake;
        ClusterConfig config;
        config.queueLimit = 2;
        Submitter submitter(fake.cluster(), config);
        fake.run(submitter.submit(JobCluster::spec()));
        fake.run(submitter.submit(JobCluster::spec()));
        QVERIFY_THROWS_EXCEPTION(QueueFull, fake.run(submitter.submit(JobCluster::spec())));
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 2);
    }

    void waitingSubmitsGetRoomInTurn()
    {
        FaultInjector requests{FaultPlan()};
        JobCluster fake(2, {.latency = 5ms, .faults = &requests});
        FullQueue full(fake, 20);
        fake.settle(1s);
        QCOMPARE(full.numbers, inOrder(2));
        QCOMPARE(full.told, 1);
        const quint64 before = requests.log().operations;
        fake.settle(10s);
        QCOMPARE_LE(requests.log().operations - before, 40u); // one looks for all, twice a second
        for (int ended = 0; ended < 18; ++ended) {
            fake.commit(zk::Transaction().remove(fake.pathOf({"default", ended})));
            fake.settle(1s);
            QCOMPARE(full.numbers, inOrder(ended + 3));
        }
        QVERIFY(full.submitting.empty());
    }

    void aLimitThatIsRaisedMakesRoom()
    {
        JobCluster fake(2, {.latency = 5ms});
        FullQueue full(fake, 5);
        fake.settle(1s);
        ClusterConfig config;
        config.queueLimit = 10;
        fake.commit(zk::Transaction().set(fake.layout.config(), config.encode()));
        fake.settle(2s);
        QCOMPARE(full.numbers, inOrder(5));
    }

    void aWaitingSubmitReadsOnWhenTheReaderIsCancelled()
    {
        JobCluster fake(2, {.latency = 5ms});
        FullQueue full(fake, 2);
        fake.settle(1s);
        Numbers looking;
        async::TaskGroup first;
        first.spawn(submitNext(full.submitter, 0, looking));
        full.submitting.spawn(submitNext(full.submitter, 2, full.numbers));
        fake.settle(1s);
        first.cancelAll();
        fake.commit(zk::Transaction().remove(fake.pathOf({"default", 0})));
        fake.settle(2s);
        QVERIFY(looking.empty());
        QCOMPARE(full.numbers, inOrder(3));
    }

    void waitingCanBeStopped()
    {
        JobCluster fake(2, {.latency = 5ms});
        FullQueue full(fake, 20);
        fake.settle(1s);
        full.submitter.stopWaiting();
        fake.settle(2s);
        QVERIFY(full.submitting.empty());
        QCOMPARE(full.numbers, inOrder(2));
    }

    void aWaitingSubmitLearnsThatItsQueueIsRemoved()
    {
        JobCluster fake(2, {.latency = 5ms});
        FullQueue full(fake, 2);
        fake.settle(1s);
        QString failure;
        const auto submit = [](Submitter &submitter, QString &told) -> async::Task<void> {
            const JobSpec spec = JobCluster::spec();
            try {
                const JobId id = co_await submitter.submit(spec);
            } catch (const NotFound &error) {
                told = QString::fromUtf8(error.what());
            }
        };
        full.submitting.spawn(submit(full.submitter, failure));
        fake.settle(1s);
        zk::Transaction removal;
        for (int job = 0; job < 2; ++job)
            removal.remove(fake.pathOf({"default", job}));
        fake.commit(removal.remove(fake.layout.queue("default")));
        fake.settle(2s);
        QVERIFY2(failure.contains(u"default"), qPrintable(failure));
    }

    void numbersHaveTheOrderOfTheCalls_data()
    {
        QTest::addColumn<int>("fault"); // of the first count
        QTest::newRow("nothing lost") << -1;
        QTest::newRow("request lost") << int(Fault::LoseRequest);
        QTest::newRow("reply lost") << int(Fault::LoseReply);
    }
    void numbersHaveTheOrderOfTheCalls()
    {
        constexpr int Calls = 600; // more than go between two counts
        QFETCH(int, fault);
        FaultPlan plan;
        if (fault >= 0)
            plan.scripted[1] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        JobCluster fake(2, {.latency = 5ms, .faults = &faults});
        Submitter submitter(fake.cluster(1), {});
        Numbers numbers;
        async::TaskGroup submitting;
        for (int call = 0; call < Calls; ++call)
            submitting.spawn(submitNext(submitter, call, numbers));
        fake.settle(1min);
        QCOMPARE(numbers, inOrder(Calls));
    }

    void allUnderWayShareTheRoom()
    {
        JobCluster fake(2, {.latency = 5ms});
        ClusterConfig config;
        config.queueLimit = 300;
        Submitter submitter(fake.cluster(1), config);
        Numbers numbers;
        async::TaskGroup submitting;
        for (int call = 0; call < 400; ++call)
            submitting.spawn(submitNext(submitter, call, numbers));
        fake.settle(1min);
        QCOMPARE(numbers, inOrder(300));
        QVERIFY(submitting.empty());
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 300);
    }

    void aSubmitThatCountsTheQueueCanBeCancelled()
    {
        JobCluster fake(2, {.latency = 5ms});
        Submitter submitter(fake.cluster(1), {});
        Numbers cancelled;
        Numbers numbers;
        async::TaskGroup first;
        async::TaskGroup others;
        first.spawn(submitNext(submitter, 0, cancelled));
        for (int call = 0; call < 10; ++call)
            others.spawn(submitNext(submitter, call, numbers));
        first.cancelAll();
        fake.settle(1s);
        QVERIFY(cancelled.empty());
        QCOMPARE(numbers, inOrder(10));
    }

    void anUnknownQueueIsRefused()
    {
        JobCluster fake;
        JobSpec spec = JobCluster::spec();
        spec.queue = "gpu";
        Submitter submitter(fake.cluster(), {});
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(submitter.submit(spec)));
    }

    void aQueueOutOfNumbersIsRefused()
    {
        JobCluster fake;
        fake.server.tree().setNextSequence(fake.layout.queue("default"), zk::LastSequence - 1);
        QCOMPARE(fake.submit().number, zk::LastSequence - 1);
        Submitter submitter(fake.cluster(), {});
        QVERIFY_THROWS_EXCEPTION(QueueFull, fake.run(submitter.submit(JobCluster::spec())));
        fake.settle();
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
    }
};

QTEST_GUILESS_MAIN(SubmitterTest)
#include "submitter_test.moc"
