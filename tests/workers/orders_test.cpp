#include "jobs/cluster/cordon.h"
#include "jobs/cluster/queue_settings.h"
#include "recipes/locks/mutex.h"
#include "workers/working.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// What people tell queues and workers.
class OrdersTest : public QObject
{
    Q_OBJECT

    static void pause(WorkerCluster &fake, bool paused)
    {
        const auto change = [paused](QueueSettings &settings) { settings.paused = paused; };
        fake.run(changeQueue(Cluster(fake[0], fake.layout), "default", change));
    }
    static WorkerInfo infoOf(const WorkerCluster &fake, int who)
    {
        return WorkerInfo::decode(fake.node(fake.layout.members() / WorkerCluster::nameOf(who)).data);
    }

private Q_SLOTS:
    void settingsSurviveTheirEncoding()
    {
        QueueSettings settings;
        settings.paused = true;
        settings.pausedBy = QStringLiteral("ann@host");
        settings.why = QStringLiteral("the disk is full");
        settings.pausedAt = 5s;
        settings.limit = 7;
        QCOMPARE(QueueSettings::decode(settings.encode()), settings);
        QCOMPARE(QueueSettings::of({}), QueueSettings());
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("malformed")));
        QCOMPARE(QueueSettings::of("nonsense"), QueueSettings());
        QVERIFY_THROWS_EXCEPTION(Malformed, QueueSettings::decode(R"({"v":1,"limit":-1})"));
    }

    void changesOfSeveralPeopleAreAllMade()
    {
        WorkerCluster fake(3);
        async::TaskGroup changing;
        const auto addOne = [](WorkerCluster &all, int who) -> async::Task<void> {
            const auto change = [](QueueSettings &settings) { ++settings.limit; };
            for (int i = 0; i < 5; ++i)
                co_await changeQueue(Cluster(all[who], all.layout), "default", change);
        };
        for (int who = 0; who < 3; ++who)
            changing.spawn(addOne(fake, who));
        fake.settle(1min);
        QCOMPARE(fake.run(queueSettings(Cluster(fake[0], fake.layout), "default")).limit, 15);
        QVERIFY_THROWS_EXCEPTION(NotFound, fake.run(queueSettings(Cluster(fake[0], fake.layout), "other")));
    }

    void aPausedQueueIsLeftAlone()
    {
        WorkerCluster fake(2);
        const JobId running = fake.submit();
        const Working working(fake, 1, 2);
        fake.settle(100ms);
        QCOMPARE(working.begun(), 1u);
        pause(fake, true);
        const JobId later = fake.submit(); // which is taken all the same
        fake.settle(2min);
        QCOMPARE(fake.recordOf(running).state(), JobState::Succeeded);
        QVERIFY(!fake.exists(fake.layout.done(later)));
        QCOMPARE(fake.node(fake.pathOf(later)).stat.version, 0); // never claimed
        pause(fake, false);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(later).state(), JobState::Succeeded);
    }

    void aWorkerThatComesToAPausedQueueHasWorkInOthers()
    {
        WorkerCluster fake(2);
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), {"other"}));
        pause(fake, true);
        const JobId left = fake.submit();
        JobSpec spec = JobCluster::spec();
        spec.queue = "other";
        const JobId taken = fake.submit(spec);
        workers::WorkerOptions options = Working::options(1);
        options.queues = {"default", "other"};
        const Working working(fake, 1, options);
        fake.settle(1s);
        QVERIFY(working.began(taken));
        QVERIFY(!working.began(left));
    }

    // The transaction that claims checks the settings: the worker does not know the pause yet when it sends it.
    void nothingIsClaimedOnceTheQueueIsPaused()
    {
        WorkerCluster fake(2, {.latency = 50ms});
        const Working working(fake, 1, 2);
        fake.settle(2s);
        fake.submit();
        fake.settle(120ms); // its listing is under way
        pause(fake, true);
        const auto claimed = fake.childrenOf(fake.layout.claims());
        fake.settle(10s);
        QVERIFY(claimed.isEmpty());
        QCOMPARE(working.begun(), 0u);
        pause(fake, false);
        fake.settle(2s);
        QCOMPARE(working.begun(), 1u);
    }

    void aJobThatWaitsForALockIsGivenBack()
    {
        WorkerCluster fake(2);
        recipes::Mutex mutex(fake[0], fake.layout.lock("db"));
        const recipes::Lock held = fake.run(mutex.acquire());
        JobSpec spec = JobCluster::spec();
        spec.locks.append(QStringLiteral("db"));
        fake.submit(spec);
        const Working working(fake, 1);
        fake.settle(1s);
        QCOMPARE(fake.childrenOf(fake.layout.claims()).size(), 1);
        pause(fake, true);
        fake.settle(1s);
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
        QCOMPARE(fake.childrenOf(fake.layout.lock("db")).size(), 1);
    }

    void soManyJobsOfAQueueRunAtATime()
    {
        WorkerCluster fake(3);
        fake.run(limitQueue(Cluster(fake[0], fake.layout), "default", 2));
        for (int i = 0; i < 6; ++i)
            fake.submit();
        const Working first(fake, 1, 4);
        const Working second(fake, 2, 4);
        fake.settle(5s);
        QCOMPARE(first.worker.running() + second.worker.running(), 2);
        fake.run(limitQueue(Cluster(fake[0], fake.layout), "default", 0));
        fake.settle(5s);
        QCOMPARE(first.begun() + second.begun(), 6u);
    }

    void aCordonedWorkerClaimsNothing()
    {
        WorkerCluster fake(3);
        const JobId running = fake.submit();
        const Working working(fake, 1);
        fake.settle(100ms);
        fake.run(
            cordon(Cluster(fake[0], fake.layout), "w1", {QStringLiteral("ann@host"), QStringLiteral("new disk"), 5s}));
        fake.settle(100ms);
        const std::optional<Cordon> known = fake.run(cordonOf(Cluster(fake[0], fake.layout), "w1"));
        QCOMPARE(known->why, QStringLiteral("new disk"));
        QCOMPARE(infoOf(fake, 1).cordon, fake.node(fake.layout.cordon("w1")).stat.czxid);
        const JobId later = fake.submit();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(running).state(), JobState::Succeeded);
        QCOMPARE(fake.node(fake.pathOf(later)).stat.version, 0);
        QVERIFY(fake.childrenOf(fake.layout.idle("default")).isEmpty());
        const Working other(fake, 2);
        fake.settle(100ms);
        QVERIFY(other.began(later));
        fake.run(uncordon(Cluster(fake[0], fake.layout), "w1"));
        const JobId last = fake.submit();
        fake.settle(100ms);
        QVERIFY(working.began(last));
        QCOMPARE(infoOf(fake, 1).cordon, 0);
    }

    void aCordonOutlivesItsWorker()
    {
        WorkerCluster fake(2);
        fake.run(cordon(Cluster(fake[0], fake.layout), "w1", {}));
        fake.submit();
        const Working working(fake, 1);
        fake.settle(10s);
        QCOMPARE(fake.node(fake.pathOf({"default", 0})).stat.version, 0);
        QVERIFY(infoOf(fake, 1).cordon > 0);
    }
};

QTEST_GUILESS_MAIN(OrdersTest)
#include "orders_test.moc"
