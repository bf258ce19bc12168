#include "core/jobs/job_party.h"

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
    const JobSpec spec = JobParty::spec();
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
    FullQueue(JobParty &party, int calls)
        : submitter(party[1], party.layout, limitOfTwo(party), [this](const QByteArray &, qint64) { ++told; })
    {
        for (int call = 0; call < calls; ++call)
            submitting.spawn(submitNext(submitter, call, numbers));
    }

    static ClusterConfig limitOfTwo(JobParty &party)
    {
        ClusterConfig config;
        config.queueLimit = 2;
        party.commit(zk::Transaction().set(party.layout.config(), config.encode()));
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
        JobParty party;
        const JobId id = party.submit();
        QCOMPARE(id.toString(), QStringLiteral("default-0"));
        const FakeTree::Znode *node = party.server.tree().find(party.layout.queue("default") / "q5-0000000000");
        QVERIFY(node);
        QCOMPARE(JobSpec::decode(node->data, "default", 5).command, JobParty::spec().command);
        QCOMPARE(party.submit().number, 1);
    }

    void itIsOneRoundTripAfterTheFirst()
    {
        JobParty party(2, {.latency = 5ms});
        Submitter submitter(party[1], party.layout, {});
        party.run(submitter.submit(JobParty::spec()));
        const async::TimePoint before = party.world.now();
        party.run(submitter.submit(JobParty::spec()));
        QCOMPARE(party.world.now() - before, async::Duration(10ms));
    }

    // The search for it costs a round trip for each 64 jobs of the queue, not one for each job.
    void theSearchAfterALostReplyIsPipelined()
    {
        constexpr int Others = 200;
        FaultPlan plan;
        plan.longestBreak = 0ms;
        plan.scripted[2] = Fault::LoseReply;
        FaultInjector faults(plan);
        JobParty party(2, {.latency = 5ms, .faults = &faults});
        for (int i = 0; i < Others; ++i)
            party.submit();
        const async::TimePoint before = party.world.now();
        QCOMPARE(party.submit(1).number, Others);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        // Count the queue's jobs, create, connect again, sync, list, four flights.
        QVERIFY2(party.world.now() - before <= 20 * 10ms,
                 qPrintable(QString::number((party.world.now() - before) / 1ms)));
    }

    void aFullQueueIsRefused()
    {
        JobParty party;
        ClusterConfig config;
        config.queueLimit = 2;
        Submitter submitter(party[0], party.layout, config);
        party.run(submitter.submit(JobParty::spec()));
        party.run(submitter.submit(JobParty::spec()));
        QVERIFY_THROWS_EXCEPTION(QueueFull, party.run(submitter.submit(JobParty::spec())));
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 2);
    }

    void whoWaitsForRoomGetsItInTurn()
    {
        FaultInjector requests{FaultPlan()};
        JobParty party(2, {.latency = 5ms, .faults = &requests});
        FullQueue full(party, 20);
        party.settle(1s);
        QCOMPARE(full.numbers, inOrder(2));
        QCOMPARE(full.told, 1);
        const quint64 before = requests.log().operations;
        party.settle(10s);
        QCOMPARE_LE(requests.log().operations - before, 40u); // one looks for all, twice a second
        for (int ended = 0; ended < 18; ++ended) {
            party.commit(zk::Transaction().remove(party.pathOf({"default", ended})));
            party.settle(1s);
            QCOMPARE(full.numbers, inOrder(ended + 3));
        }
        QVERIFY(full.submitting.empty());
    }

    void aLimitThatIsRaisedMakesRoom()
    {
        JobParty party(2, {.latency = 5ms});
        FullQueue full(party, 5);
        party.settle(1s);
        ClusterConfig config;
        config.queueLimit = 10;
        party.commit(zk::Transaction().set(party.layout.config(), config.encode()));
        party.settle(2s);
        QCOMPARE(full.numbers, inOrder(5));
    }

    void whoWaitsLooksOnWhenTheOneWhoLookedIsCancelled()
    {
        JobParty party(2, {.latency = 5ms});
        FullQueue full(party, 2);
        party.settle(1s);
        Numbers looking;
        async::TaskGroup first;
        first.spawn(submitNext(full.submitter, 0, looking));
        full.submitting.spawn(submitNext(full.submitter, 2, full.numbers));
        party.settle(1s);
        first.cancelAll();
        party.commit(zk::Transaction().remove(party.pathOf({"default", 0})));
        party.settle(2s);
        QVERIFY(looking.empty());
        QCOMPARE(full.numbers, inOrder(3));
    }

    void waitingCanBeStopped()
    {
        JobParty party(2, {.latency = 5ms});
        FullQueue full(party, 20);
        party.settle(1s);
        full.submitter.stopWaiting();
        party.settle(2s);
        QVERIFY(full.submitting.empty());
        QCOMPARE(full.numbers, inOrder(2));
    }

    void whoWaitsForAQueueThatIsRemovedIsTold()
    {
        JobParty party(2, {.latency = 5ms});
        FullQueue full(party, 2);
        party.settle(1s);
        QString failure;
        const auto submit = [](Submitter &submitter, QString &told) -> async::Task<void> {
            const JobSpec spec = JobParty::spec();
            try {
                const JobId id = co_await submitter.submit(spec);
            } catch (const NotFound &error) {
                told = QString::fromUtf8(error.what());
            }
        };
        full.submitting.spawn(submit(full.submitter, failure));
        party.settle(1s);
        zk::Transaction removal;
        for (int job = 0; job < 2; ++job)
            removal.remove(party.pathOf({"default", job}));
        party.commit(removal.remove(party.layout.queue("default")));
        party.settle(2s);
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
        JobParty party(2, {.latency = 5ms, .faults = &faults});
        Submitter submitter(party[1], party.layout, {});
        Numbers numbers;
        async::TaskGroup submitting;
        for (int call = 0; call < Calls; ++call)
            submitting.spawn(submitNext(submitter, call, numbers));
        party.settle(1min);
        QCOMPARE(numbers, inOrder(Calls));
    }

    void allUnderWayShareTheRoom()
    {
        JobParty party(2, {.latency = 5ms});
        ClusterConfig config;
        config.queueLimit = 300;
        Submitter submitter(party[1], party.layout, config);
        Numbers numbers;
        async::TaskGroup submitting;
        for (int call = 0; call < 400; ++call)
            submitting.spawn(submitNext(submitter, call, numbers));
        party.settle(1min);
        QCOMPARE(numbers, inOrder(300));
        QVERIFY(submitting.empty());
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 300);
    }

    void whoCountsMayBeCancelled()
    {
        JobParty party(2, {.latency = 5ms});
        Submitter submitter(party[1], party.layout, {});
        Numbers cancelled;
        Numbers numbers;
        async::TaskGroup first;
        async::TaskGroup others;
        first.spawn(submitNext(submitter, 0, cancelled));
        for (int call = 0; call < 10; ++call)
            others.spawn(submitNext(submitter, call, numbers));
        first.cancelAll();
        party.settle(1s);
        QVERIFY(cancelled.empty());
        QCOMPARE(numbers, inOrder(10));
    }

    void anUnknownQueueIsRefused()
    {
        JobParty party;
        JobSpec spec = JobParty::spec();
        spec.queue = "gpu";
        Submitter submitter(party[0], party.layout, {});
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(submitter.submit(spec)));
    }

    void aQueueOutOfNumbersIsRefused()
    {
        JobParty party;
        party.server.tree().setNextSequence(party.layout.queue("default"), zk::LastSequence - 1);
        QCOMPARE(party.submit().number, zk::LastSequence - 1);
        Submitter submitter(party[0], party.layout, {});
        QVERIFY_THROWS_EXCEPTION(QueueFull, party.run(submitter.submit(JobParty::spec())));
        party.settle();
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 1);
    }
};

QTEST_GUILESS_MAIN(SubmitterTest)
#include "submitter_test.moc"
