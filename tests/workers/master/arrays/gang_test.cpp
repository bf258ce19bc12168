#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/queue_settings.h"
#include "workers/master/arrays/gang_cluster.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Jobs whose members begin together. Session 0 is the client.
class GangTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void membersBeginTogether()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, 2);
        const Working second(fake, 2, 2);
        fake.settle(2s);
        const JobId id = fake.submit(gangOf(4));
        fake.settle(1s);
        const std::vector<Execution> runs = runsOf(id, {&first, &second});
        QCOMPARE(runs.size(), 4u);
        QVERIFY(runs.back().from - runs.front().from < 20ms);
        QSet<QByteArray> ranks;
        for (const Execution &run : runs) {
            QVERIFY(run.environment.contains("DROVER_GANG_SIZE=4"));
            QVERIFY(run.environment.contains("DROVER_GANG_ID=" + id.bytes()));
            QVERIFY(!run.environment.contains("DROVER_ARRAY_ID=" + id.bytes()));
            for (const QByteArray &variable : run.environment) {
                if (variable.startsWith("DROVER_GANG_RANK="))
                    ranks.insert(variable);
                if (variable.startsWith("DROVER_GANG_WORKERS="))
                    QCOMPARE(variable.count("w1") * variable.count("w2"), 4);
            }
        }
        QCOMPARE(ranks.size(), 4);
        QCOMPARE(whyOf(fake, id), QStringLiteral("its 4 members have begun together"));
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("all 4 members have succeeded"));
        expectNothingLeft(fake);
    }

    void aGangsTimeRunsFromItsStart()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, Working::options(1, {QStringLiteral("a")}), 10h);
        const Working second(fake, 2, Working::options(1), 10h);
        fake.settle(2s);
        JobSpec hog = JobCluster::spec();
        hog.needs.labels.append(QStringLiteral("a"));
        const JobId busy = fake.submit(hog);
        fake.settle(1s);
        const JobId id = fake.submit(gangOf(2));
        fake.settle(30s);
        QCOMPARE(fake.run(lookUp(Cluster(fake[0], fake.layout), id)).state, JobState::Ready);
        const std::chrono::milliseconds free = fake.world.wallClock();
        fake.run(cancel(Cluster(fake[0], fake.layout), busy));
        fake.settle(20s);
        const JobView running = fake.run(lookUp(Cluster(fake[0], fake.layout), id));
        QCOMPARE(running.state, JobState::Running);
        QVERIFY(running.since >= free);
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(20s);
        const FinalRecord record = fake.recordOf(id);
        QVERIFY(record.startedAt >= free);
        QVERIFY(record.startedAt < record.finishedAt);
    }

    void aGangThatNeverFitsWaitsAndReservesNothing()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, 2);
        fake.settle(2s);
        const JobId id = fake.submit(gangOf(3));
        fake.settle(5min);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
        QCOMPARE(whyOf(fake, id),
                 QStringLiteral(
                     "its 3 members need a place each at the same time, and the workers of queue default have 2"));
        const JobId plain = fake.submit();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(plain).state(), JobState::Succeeded);
        const Working second(fake, 2, 1);
        fake.settle(2min);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 3u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(fake);
    }

    // Three have a place when a worker with two of them dies.
    void aWorkerThatDiesBeforeAllAreThereIsReplaced()
    {
        WorkerCluster fake(5);
        const Working first(fake, 1, 1);
        auto second = std::make_unique<Working>(fake, 2, 2);
        const Working cordoned(fake, 4, 1);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 4, gangOf(4));
        fake.settle(2s);
        QVERIFY2(whyOf(fake, id).contains(QStringLiteral("3 of 4 members have a place")), qPrintable(whyOf(fake, id)));
        fake.session(2).crash();
        second.reset();
        fake.settle(10s);
        QVERIFY(runsOf(id, {&first}).empty());
        const Working third(fake, 3, 3);
        fake.settle(3min);
        QCOMPARE(runsOf(id, {&first, &third}).size(), 4u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).attempts.claimVersion, 1);
        expectNothingLeft(fake);
    }

    void aMemberThatFailsEndsTheOthersAndIsNotTriedAgainAlone()
    {
        WorkerCluster fake(3);
        Working first(fake, 1, 1);
        const Working second(fake, 2, {}, 10h);
        first.setFailures(1);
        fake.settle(2s);
        JobSpec spec = gangOf(2);
        spec.retry = {1, {}, 5s, 5s};
        const JobId id = fake.submit(spec);
        fake.settle(2min);
        std::vector<Execution> runs = runsOf(id, {&first, &second});
        QCOMPARE(runs.size(), 4u); // two rounds
        QVERIFY(runs[2].from - runs[1].from > 5s);
        for (const Execution &run : runs)
            QVERIFY(run.until != async::TimePoint::max());
        QVERIFY(abs(runs[0].until - runs[1].until) < 1s);
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.state(), JobState::Failed);
        QCOMPARE(record.exitCode(), 1);
        QVERIFY2(record.reason.contains(QStringLiteral("failed with 1, in round 2")), qPrintable(record.reason));
        expectNothingLeft(fake);
    }

    void aMemberThatIsLostBringsAllBackInAnotherRound()
    {
        WorkerCluster fake(4);
        const Working first(fake, 1, {}, 10h);
        auto second = std::make_unique<Working>(fake, 2, Working::options(1), 10h);
        fake.settle(2s);
        const JobId id = fake.submit(gangOf(2));
        fake.settle(1s);
        QCOMPARE(runsOf(id, {&first, second.get()}).size(), 2u);
        fake.session(2).crash();
        second.reset();
        fake.settle(30s);
        QCOMPARE(runsOf(id, {&first}).size(), 1u);
        QVERIFY(first.latest().until != async::TimePoint::max());
        QVERIFY2(whyOf(fake, id).contains(QStringLiteral("round 2")), qPrintable(whyOf(fake, id)));
        const Working third(fake, 3);
        fake.settle(5s);
        QCOMPARE(runsOf(id, {&first, &third}).size(), 3u);
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(5s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(first.latest().until != async::TimePoint::max());
        expectNothingLeft(fake);
    }

    // The first of two gangs cannot get all its places: the other has its turn when the time of that is up.
    void aGangThatDoesNotAssembleLeavesItsTurn()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, Working::options(1, {QStringLiteral("a")}), 10h);
        const Working second(fake, 2, 2);
        fake.settle(2s);
        const JobId wide = submitShortOf(fake, 1, gangOf(3));
        const JobId narrow = fake.submit(gangOf(2));
        fake.settle(30s);
        QVERIFY2(whyOf(fake, wide).contains(QStringLiteral("2 of 3 members have a place")),
                 qPrintable(whyOf(fake, wide)));
        QVERIFY2(whyOf(fake, narrow).contains(QStringLiteral("have 0 free: it begins when")),
                 qPrintable(whyOf(fake, narrow)));
        fake.settle(40s);
        QCOMPARE(runsOf(narrow, {&second}).size(), 2u);
        QVERIFY(runsOf(wide, {&first, &second}).empty());
        fake.settle(5min);
        QCOMPARE(fake.recordOf(narrow).state(), JobState::Succeeded);
        for (const QByteArray &name : fake.childrenOf(fake.layout.done())) // of members that never began
            QVERIFY2(!name.startsWith(wide.bytes() + '.'), name.constData());
        fake.run(cancel(Cluster(fake[0], fake.layout), wide));
        fake.settle(5s);
        QCOMPARE(fake.recordOf(wide).state(), JobState::Cancelled);
        QCOMPARE(fake.childrenOf(fake.layout.gangs()), QByteArrayList());
    }

    // Found by a reader: it kept all slots that got free for up to an hour at a time, and others waited.
    void aGangThatLacksFreePlacesKeepsNone()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, Working::options(6), 10h);
        fake.settle(2s);
        for (int i = 0; i < 4; ++i)
            fake.submit();
        fake.settle(1s);
        const JobId wide = fake.submit(gangOf(3));
        fake.settle(10s);
        QCOMPARE(
            whyOf(fake, wide),
            QStringLiteral("its 3 members need a place each at the same time, and the workers of queue default have 2 "
                           "free: it begins when enough are free, or are expected to be within minutes"));
        const JobId narrow = fake.submit(gangOf(2));
        fake.settle(1s);
        QCOMPARE(runsOf(narrow, {&working}).size(), 2u);
        fake.run(cancel(Cluster(fake[0], fake.layout), narrow));
        fake.settle(10min);
        const JobId plain = fake.submit();
        fake.settle(1s);
        QVERIFY(working.began(plain));
        QVERIFY(!fake.exists(fake.layout.gang(wide, 0)));
        fake.run(cancel(Cluster(fake[0], fake.layout), plain));
        fake.run(cancel(Cluster(fake[0], fake.layout), JobId{"default", 0}));
        fake.settle(20s);
        QCOMPARE(runsOf(wide, {&working}).size(), 3u);
    }

    // There is never a free place, but they come free soon.
    void aGangIsNotStarvedByJobsThatFollowOneAnother()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, Working::options(4), 20s);
        for (int i = 0; i < 400; ++i)
            fake.submit();
        fake.settle(10s);
        JobSpec urgent = gangOf(4); // otherwise those that came before it begin before it
        urgent.priority = 4;
        const JobId id = fake.submit(urgent);
        fake.settle(5min);
        QCOMPARE(runsOf(id, {&working}).size(), 4u);
        QVERIFY(fake.ready().size() > 200);
    }

    // The gang had the turn for its time, although no worker could claim its members.
    void withoutWorkersThatClaimNoGangHasItsTurn()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, 2);
        const Working second(fake, 2, 1);
        fake.settle(2s);
        const auto setPaused = [&](bool paused) {
            const auto change = [paused](QueueSettings &settings) { settings.paused = paused; };
            fake.run(changeQueue(Cluster(fake[0], fake.layout), "default", change));
        };
        setPaused(true);
        const JobId id = fake.submit(gangOf(3));
        fake.settle(1min);
        QVERIFY(!fake.exists(fake.layout.gang(id, 0)));
        fake.run(cordon(Cluster(fake[0], fake.layout), "w2", Cordon()));
        setPaused(false);
        fake.settle(1min);
        QVERIFY(!fake.exists(fake.layout.gang(id, 0)));
        makeRoom(fake, 2);
        fake.settle(5s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 3u);
    }

    // It was tried again and again without a pause, and the arrays of the queue stood still.
    void aMemberThatCannotBeRemovedFromItsRoundStopsNoOther()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, 2);
        fake.settle(2s);
        const JobId id = fake.submit(gangOf(2));
        fake.settle(1s);
        const zk::Path inTheWay = fake.layout.gang(id, 0) / GangStart::Name / "somebodys";
        fake.write(inTheWay, {});
        QTest::ignoreMessage(QtWarningMsg,
                             QRegularExpression(QStringLiteral("gang default-0 cannot end as long as nodes")));
        const quint64 before = fake.requests();
        fake.settle(5min);
        QVERIFY2(fake.requests() - before < 5000, qPrintable(QString::number(fake.requests() - before)));
        QVERIFY(!fake.exists(fake.layout.done(id)));
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{1, 3, 1, 0};
        const JobId array = fake.submit(spec);
        const JobId next = fake.submit(gangOf(2));
        fake.settle(5min);
        QCOMPARE(fake.recordOf(array).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(next).state(), JobState::Succeeded);
        fake.commit(zk::Transaction().remove(inTheWay));
        fake.settle(10s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(fake);
    }

    void holdAndCancelBeforeItBegins()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, 1);
        fake.settle(2s);
        const JobId id = fake.submit(gangOf(2));
        fake.settle(1s);
        fake.run(hold(Cluster(fake[0], fake.layout), id, QStringLiteral("me@here")));
        const Working second(fake, 2, 1);
        fake.settle(1min);
        QVERIFY(runsOf(id, {&first, &second}).empty());
        fake.run(release(Cluster(fake[0], fake.layout), id));
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(fake);
    }

    // The next master finds what the first has begun.
    void aNewMasterGoesOn()
    {
        WorkerCluster fake(4);
        auto first = std::make_unique<Working>(fake, 1, 1); // is master
        fake.settle(2s);
        const Working second(fake, 2, 1);
        const Working third(fake, 3, 2);
        fake.settle(2s);
        const JobId busy = fake.submit();
        fake.settle(100ms);
        const JobId id = fake.submit(gangOf(3));
        fake.settle(3s);
        fake.session(1).crash();
        first.reset();
        fake.settle(5min);
        QCOMPARE(fake.recordOf(busy).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(fake);
    }
};

QTEST_GUILESS_MAIN(GangTest)
#include "gang_test.moc"
