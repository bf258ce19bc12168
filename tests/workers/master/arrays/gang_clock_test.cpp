#include "workers/master/arrays/gang_cluster.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Masters whose clocks are wrong, or are set while gangs assemble and wait. Session 0 is the client.
class GangClockTest : public QObject
{
    Q_OBJECT

    static GangRounds roundsOf(WorkerCluster &fake, const JobId &gang)
    {
        return GangRounds::of(fake.run(lookUp(Cluster(fake[0], fake.layout), gang)).stored);
    }
    static bool isNear(std::chrono::milliseconds time, const WorkerCluster &fake)
    {
        return std::chrono::abs(time - fake.world.wallClock()) < 10min;
    }
    static void setClocks(WorkerCluster &fake, std::chrono::hours ahead)
    {
        for (int who = 1; who < fake.size(); ++who)
            fake.process(who).setClockAhead(ahead);
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.warning=false")); }

    // Its members would be withdrawn at once, or keep the places of others for ever.
    void aClockThatIsSetChangesNoTurn_data()
    {
        QTest::addColumn<int>("hoursAhead");
        QTest::newRow("forward") << 30;
        QTest::newRow("back") << -30;
    }
    void aClockThatIsSetChangesNoTurn()
    {
        QFETCH(int, hoursAhead);
        WorkerCluster fake(3);
        const Working first(fake, 1, 1);
        const Working second(fake, 2, 1);
        fake.settle(2s);
        const JobId id = submitShortOf(fake, 2, gangOf(2));
        fake.settle(1s);
        const GangRounds before = roundsOf(fake, id);
        QVERIFY(isNear(before.assemblingSince, fake));
        QVERIFY(before.patience >= 30s && before.patience <= 8min);
        setClocks(fake, std::chrono::hours(hoursAhead));
        fake.settle(20s);
        QVERIFY(fake.exists(fake.layout.gang(id, 0)));
        QCOMPARE(roundsOf(fake, id), before);
        fake.settle(before.patience + 10s);
        const GangRounds after = roundsOf(fake, id);
        QCOMPARE(after.withdrawn, 1);
        QVERIFY(isNear(after.notBefore, fake));
        makeRoom(fake, 2);
        fake.settle(10min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        expectNothingLeft(fake);
    }

    // What one master has noted, another obeys, on a machine of its own.
    void aMasterWithAWrongClockNotesTheServersTime_data()
    {
        QTest::addColumn<int>("hoursAhead");
        QTest::newRow("ahead") << 30;
        QTest::newRow("behind") << -30;
    }
    void aMasterWithAWrongClockNotesTheServersTime()
    {
        QFETCH(int, hoursAhead);
        WorkerCluster fake(4);
        setClocks(fake, std::chrono::hours(hoursAhead));
        auto first = std::make_unique<Working>(fake, 1, 1);
        const Working second(fake, 2, 1);
        fake.settle(2s);
        first->setFailures(1);
        JobSpec spec = gangOf(2);
        spec.retry.limit = 5;
        spec.retry.firstDelay = 2min;
        const JobId id = fake.submit(spec);
        fake.settle(90s);
        const GangRounds rounds = roundsOf(fake, id);
        QCOMPARE(rounds.round, 1);
        QCOMPARE(rounds.failed, 1);
        QVERIFY(isNear(rounds.notBefore, fake));
        setClocks(fake, 0h);
        fake.session(1).crash();
        first.reset();
        const Working third(fake, 3, 1);
        fake.settle(6min);
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.state(), JobState::Succeeded);
        QVERIFY(isNear(record.startedAt, fake) && isNear(record.finishedAt, fake));
    }
};

QTEST_GUILESS_MAIN(GangClockTest)
#include "gang_clock_test.moc"
