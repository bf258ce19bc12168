#include "async/first_of.h"
#include "core/jobs/job_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/follow.h"
#include "recipes/locks/mutex.h"
#include "support/co_check.h"

#include <QTest>

#include <functional>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// A server that is asked for too much discards requests, and they are sent again after a pause. Without the pause each
// loop sends tens of thousands in the minute.
class OverloadedServerTest : public QObject
{
    Q_OBJECT

    static constexpr quint64 Few = 400; // in a minute, with a second between most; some send four at a time

    struct Asked {
        JobCluster &fake;
        JobId job;
        JobId array;
    };
    using Ask = std::function<async::Task<void>(Asked)>;

    static async::Task<void> read(Asked asked)
    {
        const zk::Path queue = asked.fake.layout.queue("default");
        const std::vector<zk::Path> paths{queue, queue / "a", asked.fake.layout.done()};
        const std::vector<zk::Answer<zk::Node>> nodes = co_await readNodes(asked.fake[1], paths);
        CO_COMPARE(nodes.size(), std::size_t(3));
    }
    static async::Task<void> cancelOne(Asked asked) { co_await cancel(asked.fake.cluster(1), asked.job); }
    static async::Task<void> cancelTasks(Asked asked)
    {
        const qint32 skipped = co_await cancelUnexpandedTasks(asked.fake.cluster(1), asked.array, 2, 3);
        CO_COMPARE(skipped, 2);
    }
    static async::Task<void> make(Asked asked) { co_await asked.fake[1].ensurePath(asked.fake.layout.root() / "new"); }
    static async::Task<void> follow(Asked asked)
    {
        async::Event seen;
        const std::function<void(const zk::Node *)> onChange = [&seen](const zk::Node *) { seen.set(); };
        co_await async::firstOf(asked.fake[1].loop(),
                                recipes::followData(asked.fake[1], asked.fake.layout.done(), onChange),
                                async::untilSet(seen));
    }

private Q_SLOTS:
    void whatIsDiscardedIsRepeatedAfterAPause_data()
    {
        QTest::addColumn<Ask>("ask");
        QTest::newRow("nodes are read") << Ask(read);
        QTest::newRow("a job is cancelled") << Ask(cancelOne);
        QTest::newRow("tasks to come are cancelled") << Ask(cancelTasks);
        QTest::newRow("a path is made") << Ask(make);
        QTest::newRow("a node is followed") << Ask(follow);
    }
    void whatIsDiscardedIsRepeatedAfterAPause()
    {
        QFETCH(Ask, ask);
        FaultInjector faults{FaultPlan()};
        JobCluster fake(2, {.latency = 1ms, .faults = &faults});
        JobSpec spec = JobCluster::spec();
        const JobId job = fake.submit(spec);
        spec.array = ArrayIndices::parse(QStringLiteral("1-4"));
        const JobId array = fake.submit(spec);
        faults.script(std::vector<Fault>(200'000, Fault::Throttle));
        const quint64 before = fake.requests();
        async::TaskGroup asking;
        asking.spawn(ask({fake, job, array}));
        fake.settle(1min);
        QVERIFY(!asking.empty());
        QCOMPARE_GT(fake.requests() - before, 10u);
        QCOMPARE_LT(fake.requests() - before, Few);

        faults.heal();
        fake.settle(3s);
        QVERIFY(asking.empty());
    }

    // The line is listed, and what stands ahead cannot be looked at.
    void aPlaceInALineIsLookedAtSeldom()
    {
        FaultInjector faults{FaultPlan()};
        JobCluster fake(2, {.latency = 1ms, .faults = &faults});
        recipes::Mutex mine(fake[0], fake.layout.lock("a"));
        recipes::Mutex other(fake[1], fake.layout.lock("a"));
        std::optional<recipes::Lock> held = fake.run(mine.acquire());
        std::vector<Fault> fates{Fault::None, Fault::None}; // of the ticket, and the line
        for (int i = 0; i < 100'000; ++i)
            fates.insert(fates.end(), {Fault::Throttle, Fault::Throttle, Fault::None}); // the two looks, and the line
        faults.script(fates);
        const quint64 before = fake.requests();
        std::optional<recipes::Lock> taken;
        async::TaskGroup asking;
        const auto ask = [](recipes::Mutex *mutex, std::optional<recipes::Lock> *lock) -> async::Task<void> {
            recipes::Lock mutexLock = co_await mutex->acquire();
            lock->emplace(std::move(mutexLock));
        };
        asking.spawn(ask(&other, &taken));
        fake.settle(1min);
        QCOMPARE_GT(fake.requests() - before, 10u);
        QCOMPARE_LT(fake.requests() - before, Few);

        faults.heal();
        held.reset();
        fake.settle(3s);
        QVERIFY(taken.has_value());
    }

    // A server that discards little is not asked less for long.
    void thePauseBeginsAnew()
    {
        FaultInjector faults{FaultPlan()};
        JobCluster fake(2, {.latency = 1ms, .faults = &faults});
        const auto took = [&fake] {
            const async::TimePoint begin = fake.world.now();
            fake.run(fake[1].ensurePath(zk::Path("/a")));
            return fake.world.now() - begin;
        };
        faults.script(std::vector<Fault>(9, Fault::Throttle));
        QCOMPARE_GT(took(), 3s);
        fake.settle(12s);
        faults.script({Fault::Throttle});
        QCOMPARE_LT(took(), 20ms);
    }

    // One request in a hundred, say: who waits for a lock meanwhile should get it at once.
    void aSeldomDiscardCostsLittle()
    {
        FaultInjector faults{FaultPlan()};
        JobCluster fake(2, {.latency = 1ms, .faults = &faults});
        for (int i = 0; i < 20; ++i) {
            faults.script({Fault::Throttle});
            const async::TimePoint begin = fake.world.now();
            fake.run(fake[1].ensurePath(zk::Path("/a")));
            QCOMPARE_LT(fake.world.now() - begin, 20ms);
            fake.settle(500ms);
        }
    }
};

QTEST_GUILESS_MAIN(OverloadedServerTest)
#include "overloaded_server_test.moc"
