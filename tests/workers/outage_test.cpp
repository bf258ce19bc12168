#include "jobs/client/cancel_job.h"
#include "workers/attempts/command_translation.h"
#include "workers/claims/reporting.h"
#include "workers/master/arrays/gang_cluster.h"
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
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = lostAttempts;
        return spec;
    }

    static JobSpec gangGivenUpAfter(int lostRounds)
    {
        JobSpec spec = gangOf(2);
        spec.maxAttempts = lostRounds;
        return spec;
    }

    static void letZooKeeperBeAway(WorkerCluster &fake, async::Duration duration)
    {
        fake.server.stop();
        fake.settle(duration);
        fake.server.start();
        fake.settle();
    }

    // Another session of the same process.
    static std::unique_ptr<Working> nextLife(WorkerCluster &fake, const Working &last)
    {
        fake.add();
        return std::make_unique<Working>(fake, fake.size() - 1, Working::options(1), 1min, workers::Worker::Events(),
                                         last.worker.unanswered());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.machine_health.warning=false"));
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
        WorkerCluster fake(2);
        const JobId id = fake.submit(givenUpAfter(1));
        const Working working(fake, 1);
        fake.settle(1s);
        letZooKeeperBeAway(fake, std::chrono::milliseconds(outage));
        QCOMPARE(working.ended(), sessionIsLost);
        std::unique_ptr<Working> next;
        if (sessionIsLost)
            next = nextLife(fake, working);
        fake.settle(2min);
        QCOMPARE(working.begun() + (next ? next->begun() : 0), 2u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.attemptsOf(id), 1);
    }

    void anOutageCostsAGangNoAttempt_data() { anOutageCostsAJobNoAttempt_data(); }
    void anOutageCostsAGangNoAttempt()
    {
        QFETCH(int, outage);
        QFETCH(bool, sessionIsLost);
        WorkerCluster fake(3);
        const Working first(fake, 1);
        const Working second(fake, 2);
        fake.settle(2s);
        const JobId id = fake.submit(gangGivenUpAfter(1));
        fake.settle(1s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        letZooKeeperBeAway(fake, std::chrono::milliseconds(outage));
        std::vector<std::unique_ptr<Working>> next;
        if (sessionIsLost) {
            next.push_back(nextLife(fake, first));
            next.push_back(nextLife(fake, second));
        }
        fake.settle(5min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QVERIFY(fake.recordOf(id).attempts.claimVersion >= 2); // in another round
        expectNothingLeft(fake);
    }

    void aPlannedStopCostsAGangNoAttempt()
    {
        WorkerCluster fake(4);
        const Working first(fake, 1, Working::options(1), 10h);
        Working second(fake, 2, Working::options(1), 10h);
        fake.settle(2s);
        const JobId id = fake.submit(gangGivenUpAfter(1));
        fake.settle(1s);
        QCOMPARE(runsOf(id, {&first, &second}).size(), 2u);
        second.worker.stop();
        second.worker.abandonJobs();
        fake.settle(1min);
        QVERIFY(second.ended());
        QVERIFY2(whyOf(fake, id).contains(QStringLiteral("was lost 0 times and given back by its worker 1 times")),
                 qPrintable(whyOf(fake, id)));
        const Working third(fake, 3);
        fake.settle(1min);
        QCOMPARE(runsOf(id, {&first, &third}).size(), 3u);
    }

    // ZooKeeper was there, and the worker was not.
    void aClaimByAnotherWorkerMakesItALostAttempt()
    {
        WorkerCluster fake(3);
        const JobId id = fake.submit();
        const Working cutOff(fake, 1);
        fake.settle(1s);
        fake.session(1).partition();
        fake.settle(fake[1].sessionTimeout() + 1s);
        const Working other(fake, 2);
        fake.settle(2s);
        QVERIFY(fake.isClaimedBy(id, 2));
        const std::unique_ptr<Working> next = nextLife(fake, cutOff);
        fake.settle(2min);
        QCOMPARE(next->begun() + other.begun(), 1u);
        QCOMPARE(fake.attemptsOf(id), 2);
    }

    void aCancelThatCameAfterTheLossEndsTheJob()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const Working working(fake, 1);
        fake.settle(1s);
        fake.session(1).partition();
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(fake[1].sessionTimeout());
        const std::unique_ptr<Working> next = nextLife(fake, working);
        fake.settle(1min);
        QCOMPARE(next->begun(), 0u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
    }

    // The worker has until the servers end its last session to say how its jobs have ended. Another, idle worker waits
    // for that end, too.
    void anOutageCostsNoResult_data()
    {
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<JobState>("end");
        QTest::addColumn<QString>("file");
        QTest::newRow("successes") << 0 << JobState::Succeeded << QString();
        QTest::newRow("failures that are tried again") << 1 << JobState::Waiting << QString();
        QTest::newRow("failures, of which no output is appended") << 1 << JobState::Waiting << u"/file"_qs;
    }
    void anOutageCostsNoResult()
    {
        QFETCH(int, exitCode);
        QFETCH(JobState, end);
        QFETCH(QString, file);
        constexpr int JobCount = 8;
        constexpr auto Latency = 5ms;
        WorkerCluster fake(2, {.latency = Latency});
        JobSpec spec = givenUpAfter(1);
        spec.environment = {{QStringLiteral("TAKES"), QStringLiteral("3000")}};
        spec.appendTo = file;
        spec.retry.limit = 1;
        spec.retry.firstDelay = spec.retry.longestDelay = 1h;
        std::vector<JobId> ids;
        for (int i = 0; i < JobCount; ++i)
            ids.push_back(fake.submit(spec));
        Working last(fake, 1, JobCount);
        last.setFailures(exitCode);
        fake.settle(1s);
        QCOMPARE(last.worker.running(), JobCount);
        letZooKeeperBeAway(fake, 30s);
        QVERIFY(last.ended());
        QCOMPARE(last.kept().size(), std::size_t(JobCount));
        fake.add({.latency = Latency});
        const Working other(fake, 2, JobCount);
        fake.settle(1s);
        fake.add({.latency = Latency});
        workers::WorkerOptions options = Working::options(JobCount);
        options.id = QStringLiteral("w1");
        Working next(fake, 3, options, 1min, workers::Worker::Events(), last.worker.unanswered());
        for (const workers::KeptResult &kept : last.kept())
            next.keep(kept);
        fake.settle(10s);
        QCOMPARE(next.worker.keptReported(), JobCount);
        QCOMPARE(next.worker.rejectedReports(), 0);
        QCOMPARE(other.begun() + next.begun(), 0u);
        for (const JobId &id : ids) {
            const JobView view = fake.run(lookUp(fake.cluster(2), id)); // client 0 has lost its session, too
            QCOMPARE(view.state, end);
            QCOMPARE(view.attempts, 1);
        }
    }

    // The next life gives the job back, unless it can report the end before.
    void anOutageChargesNoJobWhoseOutputWaits()
    {
        WorkerCluster fake(2);
        fake.process(1).setPool([](const std::function<void()> &) {}); // its files hang
        JobSpec spec = givenUpAfter(1);
        spec.environment = {{QStringLiteral("TAKES"), QStringLiteral("1000")},
                            {QStringLiteral("WRITES"), QStringLiteral("5")}};
        spec.appendTo = QStringLiteral("/hung/file");
        fake.submit(spec);
        const Working cutOff(fake, 1);
        fake.settle(10s);
        QCOMPARE(cutOff.begun(), 1u);
        fake.session(1).partition();
        fake.settle(fake[1].sessionTimeout() + 1s);
        QVERIFY(cutOff.ended());
        QCOMPARE(cutOff.kept().size(), 1u);
        QCOMPARE(cutOff.worker.unanswered().size(), 1u);
    }

    // The next life finds the failure that the last one could not report. It has claimed nothing yet, and so has not
    // seen the servers' clock, when it says when the job is to be tried again.
    void aFailureThatWasKeptIsRetriedByTheServersClock_data()
    {
        QTest::addColumn<int>("hoursAhead");
        QTest::newRow("a clock that is ahead") << 30;
        QTest::newRow("a clock that is behind") << -30;
    }
    void aFailureThatWasKeptIsRetriedByTheServersClock()
    {
        QFETCH(int, hoursAhead);
        WorkerCluster fake(3);
        JobSpec spec = JobCluster::spec();
        spec.retry.limit = 1;
        const JobId id = fake.submit(spec);
        const workers::ClaimedJob job = fake.claimReady(2).jobs.at(0);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        fake.process(1).setClockAhead(std::chrono::hours(hoursAhead));
        Working working(fake, 1);
        working.keep({.keptClaim = workers::encodeClaim(job), .outcome = {.runId = 1000, .pid = 1, .exitCode = 3}});
        fake.settle(1s);
        QCOMPARE(working.worker.keptReported(), 1);
        const JobView view = fake.view(id);
        QCOMPARE(view.state, JobState::Waiting);
        QCOMPARE(view.spec->notes.failed, 1);
        const std::chrono::milliseconds wait = view.spec->notes.notBefore - fake.world.wallClock();
        QVERIFY2(wait > -1min && wait < 1min, qPrintable(QString::number(wait.count())));
    }

    // It may be what cuts its machine off.
    void aJobEndedByAHundredOutagesIsGivenUp()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit(givenUpAfter(1));
        Reporting reporting(fake, 0);
        for (int i = 0; i < 100; ++i) {
            reporting.reporter.giveBackUnstarted(fake.claimReady(0).jobs.at(0));
            reporting.flush();
        }
        const Working working(fake, 1);
        fake.settle(1s);
        QCOMPARE(working.begun(), 1u);
        letZooKeeperBeAway(fake, 5'700ms);
        fake.settle(1min);
        QCOMPARE(working.begun(), 1u);
        QCOMPARE(fake.recordOf(id).outcome, FinalRecord::Outcome::GaveUp);
    }
};

QTEST_GUILESS_MAIN(OutageTest)
#include "outage_test.moc"
