#include "jobs/cancel.h"
#include "workers/reporting.h"
#include "workers/working.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// ZooKeeper is away, or a worker cut off from it, for longer than a session or a lease lives.
class OutageTest : public QObject
{
    Q_OBJECT

    static JobSpec givenUpAfter(int lostAttempts)
    {
        JobSpec spec = JobParty::spec();
        spec.maxAttempts = lostAttempts;
        return spec;
    }

    static void letZooKeeperBeAway(WorkerParty &party, async::Duration duration)
    {
        party.server.stop();
        party.settle(duration);
        party.server.start();
        party.settle();
    }

    // Another session of the same process.
    static std::unique_ptr<Working> nextLife(WorkerParty &party, const Working &last)
    {
        party.add();
        return std::make_unique<Working>(party, party.size() - 1, Working::options(1), 1min, workers::Worker::Events(),
                                         last.worker.unanswered());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(
            QStringLiteral("drover.workers.*.info=false\ndrover.workers.attempts.warning=false"));
    }

    void anOutageCostsAJobNoAttempt_data()
    {
        QTest::addColumn<int>("outage");
        QTest::addColumn<bool>("sessionIsLost");
        QTest::newRow("the lease passes, and the session lives on") << 5'700 << false;
        QTest::newRow("the session is lost") << 30'000 << true;
    }
    void anOutageCostsAJobNoAttempt()
    {
        QFETCH(int, outage);
        QFETCH(bool, sessionIsLost);
        WorkerParty party(2);
        const JobId id = party.submit(givenUpAfter(1));
        const Working working(party, 1);
        party.settle(1s);
        letZooKeeperBeAway(party, std::chrono::milliseconds(outage));
        QCOMPARE(working.ended(), sessionIsLost);
        std::unique_ptr<Working> next;
        if (sessionIsLost)
            next = nextLife(party, working);
        party.settle(2min);
        QCOMPARE(working.begun() + (next ? next->begun() : 0), 2u);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(party.attemptsOf(id), 1);
    }

    // ZooKeeper was there, and the worker was not.
    void aClaimBySomebodyElseMakesItALostAttempt()
    {
        WorkerParty party(3);
        const JobId id = party.submit();
        const Working cutOff(party, 1);
        party.settle(1s);
        party.session(1).partition();
        party.settle(party[1].sessionTimeout() + 1s);
        const Working other(party, 2);
        party.settle(2s);
        QVERIFY(party.isClaimedBy(id, 2));
        const std::unique_ptr<Working> next = nextLife(party, cutOff);
        party.settle(2min);
        QCOMPARE(next->begun() + other.begun(), 1u);
        QCOMPARE(party.attemptsOf(id), 2);
    }

    void aCancelThatCameAfterTheLossEndsTheJob()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        const Working working(party, 1);
        party.settle(1s);
        party.session(1).partition();
        party.run(cancel(party[0], party.layout, id));
        party.settle(party[1].sessionTimeout());
        const std::unique_ptr<Working> next = nextLife(party, working);
        party.settle(1min);
        QCOMPARE(next->begun(), 0u);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
    }

    // It may be what cuts its machine off.
    void whatAHundredOutagesHaveEndedIsGivenUp()
    {
        WorkerParty party(2);
        const JobId id = party.submit(givenUpAfter(1));
        Reporting reporting(party, 0);
        for (int i = 0; i < 100; ++i) {
            reporting.reporter.giveBackUnbegun(party.claimReady(0).jobs.at(0));
            reporting.flush();
        }
        const Working working(party, 1);
        party.settle(1s);
        QCOMPARE(working.begun(), 1u);
        letZooKeeperBeAway(party, 5'700ms);
        party.settle(1min);
        QCOMPARE(working.begun(), 1u);
        QCOMPARE(party.recordOf(id).outcome, FinalRecord::Outcome::GaveUp);
    }
};

QTEST_GUILESS_MAIN(OutageTest)
#include "outage_test.moc"
