#include "jobs/cordon.h"
#include "jobs/queue_settings.h"
#include "recipes/mutex.h"
#include "workers/working.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// What people tell queues and workers.
class OrdersTest : public QObject
{
    Q_OBJECT

    static void pause(WorkerParty &party, bool paused)
    {
        const auto change = [paused](QueueSettings &settings) { settings.paused = paused; };
        party.run(changeQueue(party[0], party.layout, "default", change));
    }
    static WorkerInfo infoOf(const WorkerParty &party, int who)
    {
        return WorkerInfo::decode(party.node(party.layout.members() / WorkerParty::nameOf(who)).data);
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

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
        QVERIFY_EXCEPTION_THROWN(QueueSettings::decode(R"({"v":1,"limit":-1})"), Malformed);
    }

    void changesOfSeveralPeopleAreAllMade()
    {
        WorkerParty party(3);
        async::TaskGroup changing;
        const auto addOne = [](WorkerParty &all, int who) -> async::Task<void> {
            const auto change = [](QueueSettings &settings) { ++settings.limit; };
            for (int i = 0; i < 5; ++i)
                co_await changeQueue(all[who], all.layout, "default", change);
        };
        for (int who = 0; who < 3; ++who)
            changing.spawn(addOne(party, who));
        party.settle(1min);
        QCOMPARE(party.run(queueSettings(party[0], party.layout, "default")).limit, 15);
        QVERIFY_EXCEPTION_THROWN(party.run(queueSettings(party[0], party.layout, "other")), NotFound);
    }

    void aPausedQueueIsLeftAlone()
    {
        WorkerParty party(2);
        const JobId running = party.submit();
        const Working working(party, 1, 2);
        party.settle(100ms);
        QCOMPARE(working.begun(), 1u);
        pause(party, true);
        const JobId later = party.submit(); // which is taken all the same
        party.settle(2min);
        QCOMPARE(party.recordOf(running).state(), JobState::Succeeded);
        QVERIFY(!party.exists(party.layout.done(later)));
        QCOMPARE(party.node(party.pathOf(later)).stat.version, 0); // never claimed
        pause(party, false);
        party.settle(2min);
        QCOMPARE(party.recordOf(later).state(), JobState::Succeeded);
    }

    void aWorkerThatComesToAPausedQueueHasWorkInOthers()
    {
        WorkerParty party(2);
        party.run(ensureCluster(party[0], party.layout, {"other"}));
        pause(party, true);
        const JobId left = party.submit();
        JobSpec spec = JobParty::spec();
        spec.queue = "other";
        const JobId taken = party.submit(spec);
        workers::WorkerOptions options = Working::options(1);
        options.queues = {"default", "other"};
        const Working working(party, 1, options);
        party.settle(1s);
        QVERIFY(working.began(taken));
        QVERIFY(!working.began(left));
    }

    // The transaction that claims checks the settings: the worker has not heard of the pause when it sends it.
    void nothingIsClaimedOnceTheQueueIsPaused()
    {
        WorkerParty party(2, {.latency = 50ms});
        const Working working(party, 1, 2);
        party.settle(2s);
        party.submit();
        party.settle(120ms); // its listing is under way
        pause(party, true);
        const auto claimed = party.childrenOf(party.layout.claims());
        party.settle(10s);
        QVERIFY(claimed.isEmpty());
        QCOMPARE(working.begun(), 0u);
        pause(party, false);
        party.settle(2s);
        QCOMPARE(working.begun(), 1u);
    }

    void whatWaitsForALockIsGivenBack()
    {
        WorkerParty party(2);
        recipes::Mutex mutex(party[0], party.layout.lock("db"));
        const recipes::Lock held = party.run(mutex.acquire());
        JobSpec spec = JobParty::spec();
        spec.locks.append(QStringLiteral("db"));
        party.submit(spec);
        const Working working(party, 1);
        party.settle(1s);
        QCOMPARE(party.childrenOf(party.layout.claims()).size(), 1);
        pause(party, true);
        party.settle(1s);
        QVERIFY(party.childrenOf(party.layout.claims()).isEmpty());
        QCOMPARE(party.childrenOf(party.layout.lock("db")).size(), 1);
    }

    void soManyJobsOfAQueueRunAtATime()
    {
        WorkerParty party(3);
        party.run(limitQueue(party[0], party.layout, "default", 2));
        for (int i = 0; i < 6; ++i)
            party.submit();
        const Working first(party, 1, 4);
        const Working second(party, 2, 4);
        party.settle(5s);
        QCOMPARE(first.worker.running() + second.worker.running(), 2);
        party.run(limitQueue(party[0], party.layout, "default", 0));
        party.settle(5s);
        QCOMPARE(first.begun() + second.begun(), 6u);
    }

    void aCordonedWorkerClaimsNothing()
    {
        WorkerParty party(3);
        const JobId running = party.submit();
        const Working working(party, 1);
        party.settle(100ms);
        party.run(cordon(party[0], party.layout, "w1", {QStringLiteral("ann@host"), QStringLiteral("new disk"), 5s}));
        party.settle(100ms);
        const std::optional<Cordon> known = party.run(cordonOf(party[0], party.layout, "w1"));
        QCOMPARE(known->why, QStringLiteral("new disk"));
        QCOMPARE(infoOf(party, 1).cordon, party.node(party.layout.cordon("w1")).stat.czxid);
        const JobId later = party.submit();
        party.settle(2min);
        QCOMPARE(party.recordOf(running).state(), JobState::Succeeded);
        QCOMPARE(party.node(party.pathOf(later)).stat.version, 0);
        QVERIFY(party.childrenOf(party.layout.idle("default")).isEmpty());
        const Working other(party, 2);
        party.settle(100ms);
        QVERIFY(other.began(later));
        party.run(uncordon(party[0], party.layout, "w1"));
        const JobId last = party.submit();
        party.settle(100ms);
        QVERIFY(working.began(last));
        QCOMPARE(infoOf(party, 1).cordon, 0);
    }

    void aCordonOutlivesItsWorker()
    {
        WorkerParty party(2);
        party.run(cordon(party[0], party.layout, "w1", {}));
        party.submit();
        const Working working(party, 1);
        party.settle(10s);
        QCOMPARE(party.node(party.pathOf({"default", 0})).stat.version, 0);
        QVERIFY(infoOf(party, 1).cordon > 0);
    }
};

QTEST_GUILESS_MAIN(OrdersTest)
#include "orders_test.moc"
