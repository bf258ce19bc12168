#include "jobs/client/cancel_job.h"
#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "workers/master/arrays/gang_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

QString adviceOf(WorkerCluster &fake, const JobId &id)
{
    return fake.run(explain(Cluster(fake[0], fake.layout), id)).reasons.front().advice;
}

} // namespace

// Gangs whose members need permits, of limits and of their queue. Session 0 is the client.
class GangLimitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // It has no turn that would keep others from theirs, and begins once the limit is raised.
    void aGangOverALimitWaitsAndReservesNothing_data()
    {
        QTest::addColumn<bool>("ofQueue");
        QTest::addColumn<int>("permits");
        QTest::newRow("a limit that was never set") << false << 0;
        QTest::newRow("a limit") << false << 2;
        QTest::newRow("the queue's limit") << true << 2;
    }
    void aGangOverALimitWaitsAndReservesNothing()
    {
        QFETCH(bool, ofQueue);
        QFETCH(int, permits);
        WorkerCluster fake(3);
        const auto limit = [&](int count) {
            if (ofQueue)
                fake.run(limitQueue(Cluster(fake[0], fake.layout), "default", count));
            else
                fake.run(setLimit(Cluster(fake[0], fake.layout), "api", count));
        };
        if (permits > 0)
            limit(permits);
        const Working first(fake, 1, 2);
        const Working second(fake, 2, 2);
        fake.settle(2s);
        JobSpec spec = gangOf(3);
        if (!ofQueue)
            spec.limits.append(QStringLiteral("api"));
        const JobId wide = fake.submit(spec);
        fake.settle(5min);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
        QCOMPARE(fake.childrenOf(fake.layout.gangs()), QByteArrayList());
        QCOMPARE(whyOf(fake, wide),
                 ofQueue
                     ? QStringLiteral("its 3 members must run at the same time, and the limit of queue default is 2")
                     : QStringLiteral("its 3 members need 3 permits of limit api at the same time, which has %1")
                           .arg(permits > 0 ? permits : 1));
        QCOMPARE(adviceOf(fake, wide),
                 ofQueue ? QStringLiteral("drover queue limit default 3") : QStringLiteral("drover limit set api 3"));
        const JobId narrow = fake.submit(gangOf(2));
        fake.settle(1s);
        QCOMPARE(runsOf(narrow, {&first, &second}).size(), 2u);
        fake.settle(2min);
        limit(3);
        fake.settle(1s);
        QCOMPARE(runsOf(wide, {&first, &second}).size(), 3u);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(wide).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(wide).attempts.claimVersion, 1);
        expectNothingLeft(fake);
    }

    // Each has room for one: none takes more of them than that while they wait for their permits.
    void membersUnderALimitAreSharedOut()
    {
        WorkerCluster fake(9);
        fake.run(setLimit(Cluster(fake[0], fake.layout), "api", 8));
        std::vector<std::unique_ptr<Working>> workers;
        std::vector<const Working *> all;
        for (int i = 1; i <= 8; ++i) {
            workers.push_back(std::make_unique<Working>(fake, i));
            all.push_back(workers.back().get());
        }
        fake.settle(2s);
        JobSpec spec = gangOf(8);
        spec.limits.append(QStringLiteral("api"));
        const JobId id = fake.submit(spec);
        fake.settle(5s);
        QCOMPARE(runsOf(id, all).size(), 8u);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(fake);
    }

    // After the round that the lower limit has cost.
    void aLimitThatIsLoweredWhileAGangAssemblesEndsItsTurn()
    {
        WorkerCluster fake(3);
        fake.run(setLimit(Cluster(fake[0], fake.layout), "api", 2));
        const Working first(fake, 1, Working::options(2), 10h);
        fake.settle(2s);
        const Working second(fake, 2, Working::options(2), 10h);
        fake.settle(2s);
        JobSpec spec = gangOf(2);
        spec.needs.slots = 2;
        spec.limits.append(QStringLiteral("api"));
        const JobId id = submitShortOf(fake, 2, spec);
        fake.settle(2s);
        QVERIFY(whyOf(fake, id).startsWith(QStringLiteral("it assembles: 1 of 2 members have a place\n")));
        fake.run(setLimit(Cluster(fake[0], fake.layout), "api", 1));
        QVERIFY2(whyOf(fake, id).startsWith(QStringLiteral("its 2 members need 2 permits of limit api")),
                 qPrintable(whyOf(fake, id)));
        fake.settle(5min);
        makeRoom(fake, 2);
        fake.settle(5min);
        QCOMPARE(fake.childrenOf(fake.layout.gangs()), QByteArrayList());
        QVERIFY(runsOf(id, {&first, &second}).empty());
        fake.run(setLimit(Cluster(fake[0], fake.layout), "api", 2));
        fake.settle(1s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(5s);
        QCOMPARE(fake.recordOf(id).attempts.claimVersion, 2);
    }
};

QTEST_GUILESS_MAIN(GangLimitsTest)
#include "gang_limits_test.moc"
