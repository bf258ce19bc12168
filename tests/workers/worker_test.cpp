#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "workers/working.h"

#include <QCoreApplication>
#include <QLoggingCategory>
#include <QSysInfo>
#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

class WorkerTest : public QObject
{
    Q_OBJECT

    // Another member has the id of the worker of session 1.
    static zk::Path takeIdOfFirst(WorkerCluster &fake)
    {
        WorkerInfo other;
        other.id = QString::fromLatin1(WorkerCluster::nameOf(1));
        other.host = QStringLiteral("elsewhere");
        other.pid = 4711;
        other.slotCount = 1;
        const zk::Path member = fake.layout.members() / WorkerCluster::nameOf(1);
        fake.commit(zk::Transaction().create(member, other.encode(), zk::CreateMode::Ephemeral));
        return member;
    }

    // The job's DROVER_FENCE.
    static qint64 fenceOf(const Execution &run)
    {
        const QByteArray name = "DROVER_FENCE=";
        const auto isFence = [&](const QByteArray &variable) { return variable.startsWith(name); };
        const auto found = std::find_if(run.environment.begin(), run.environment.end(), isFence);
        return found == run.environment.end() ? 0 : found->mid(name.size()).toLongLong();
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.machine_health.warning=false"));
    }

    void aStoppedWorkerFinishesItsRunningJobs()
    {
        WorkerCluster fake(2);
        for (int i = 0; i < 3; ++i)
            fake.submit();
        Working working(fake, 1, 2);
        fake.settle(1s);
        QCOMPARE(working.worker.running(), 2);
        working.worker.stop();
        fake.settle(2min);
        QVERIFY(working.ended());
        QCOMPARE(working.begun(), 2u);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 2);
        QCOMPARE(fake.ready().size(), 1u);
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
        QVERIFY(fake.childrenOf(fake.layout.members()).isEmpty());
    }

    // A thousand that start together would each list all the others a thousand times.
    void aFloodOfMembersIsListedNowAndThen()
    {
        const zk::Path members = Layout("test").members();
        int listings = 0;
        WorkerCluster fake(2);
        fake.add({.sabotage = [&](zk::Request &request) {
            const auto *const list = std::get_if<zk::ChildrenRequest>(&request);
            listings += list && list->path == members;
        }});
        const Working master(fake, 1); // lists them for itself
        fake.settle(5s);
        const Working other(fake, 2);
        fake.settle(5s);
        listings = 0;
        for (int i = 0; i < 300; ++i)
            fake.commit(zk::Transaction().create(members / QByteArray::number(i), {}));
        fake.settle(5s);
        QVERIFY2(listings > 0 && listings < 100, QByteArray::number(listings));
    }

    void anIdThatIsTakenIsReportedAndWaitedFor()
    {
        WorkerCluster fake(2);
        const zk::Path member = takeIdOfFirst(fake);
        int joined = 0;
        QStringList holders;
        workers::Worker::Events events;
        events.joined = [&joined] { ++joined; };
        events.idIsTaken = [&holders](const WorkerInfo &other) {
            holders.append(QStringLiteral("%1 %2").arg(other.host).arg(other.pid));
        };
        const Working working(fake, 1, Working::options(1), 1min, events);
        fake.settle(5s);
        QCOMPARE(joined, 0);
        QCOMPARE(holders, QStringList(QStringLiteral("elsewhere 4711")));
        fake.commit(zk::Transaction().remove(member));
        const JobId id = fake.submit();
        fake.settle(2min);
        QCOMPARE(joined, 1);
        QCOMPARE(holders.size(), 1);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // Found by a reader: after an outage each worker had to choose another id, because of its own earlier session.
    void theLastSessionOfAWorkerIsNoOtherWorker()
    {
        WorkerCluster fake(2);
        WorkerInfo self;
        self.id = QString::fromLatin1(WorkerCluster::nameOf(1));
        self.host = QSysInfo::machineHostName();
        self.pid = QCoreApplication::applicationPid();
        self.slotCount = 1;
        const zk::Path member = fake.layout.members() / WorkerCluster::nameOf(1);
        fake.commit(zk::Transaction().create(member, self.encode(), zk::CreateMode::Ephemeral));
        int taken = 0;
        int lives = 0;
        int joined = 0;
        workers::Worker::Events events;
        events.idIsTaken = [&taken](const WorkerInfo &) { ++taken; };
        events.previousSessionAlive = [&lives] { ++lives; };
        events.joined = [&joined] { ++joined; };
        const Working working(fake, 1, Working::options(1), 1min, events);
        fake.settle(5s);
        QCOMPARE(std::tuple(taken, lives, joined), std::tuple(0, 1, 0));
        fake.commit(zk::Transaction().remove(member));
        fake.settle(5s);
        QCOMPARE(std::tuple(taken, lives, joined), std::tuple(0, 1, 1));
    }

    void aStopEndsTheWaitForAnId()
    {
        WorkerCluster fake(2);
        takeIdOfFirst(fake);
        Working working(fake, 1);
        fake.settle(5s);
        QVERIFY(!working.ended());
        working.worker.stop();
        fake.settle(100ms);
        QVERIFY(working.ended());
        QCOMPARE(fake.childrenOf(fake.layout.members()).size(), 1); // not ours
    }

    void anAbandonedJobIsForOthers()
    {
        WorkerCluster fake(3);
        const JobId id = fake.submit();
        Working first(fake, 1);
        fake.settle(1s);
        first.worker.abandonJobs();
        fake.settle(1s);
        QVERIFY(first.ended());
        QVERIFY(!fake.exists(fake.layout.claim(id)));
        const Working second(fake, 2);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.attemptsOf(id), 1);
        QCOMPARE(std::tuple(first.latest().attempt, second.latest().attempt), std::tuple(1, 1)); // DROVER_ATTEMPT
        QVERIFY(fenceOf(second.latest()) > fenceOf(first.latest()));
    }

    void aCancelKillsTheRunningProcess()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const Working working(fake, 1);
        fake.settle(1s);
        QCOMPARE(working.worker.running(), 1);
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), id)), CancelResult::Asked);
        fake.settle(1s);
        QCOMPARE(working.worker.running(), 0);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(working.worker.rejectedReports(), 0);
    }

    // However often: it counts neither as an attempt nor as a failure.
    void aRequeuedJobRunsAgain()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 1;
        Submitter submitter(Cluster(fake[0], fake.layout), {});
        const JobId id = fake.run(submitter.submit(spec));
        const Working working(fake, 1);
        for (std::size_t round = 1; round <= 3; ++round) {
            fake.settle(2s);
            QCOMPARE(working.begun(), round);
            QCOMPARE(working.worker.running(), 1);
            QCOMPARE(fake.run(requeue(Cluster(fake[0], fake.layout), id)).from, JobState::Running);
        }
        fake.settle(2min);
        QCOMPARE(working.begun(), 4u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(working.worker.rejectedReports(), 0);
    }

    void aCancelWinsOverARequeue()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const Working working(fake, 1);
        fake.settle(1s);
        Claim claim = Claim::decode(fake.node(fake.layout.claim(id)).data);
        claim.requeue = claim.cancelled = true;
        fake.commit(zk::Transaction()
                        .set(fake.pathOf(id), noted(fake.node(fake.pathOf(id)).data, &JobNotes::markCancelled), 1)
                        .set(fake.layout.claim(id), claim.encode()));
        fake.settle(5s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(working.begun(), 1u);
    }

    // The job was killed to be begun again, and a user cancels it before the worker has reported that.
    void aCancelAfterARequeueEndsTheJob()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const Working working(fake, 1);
        fake.settle(1s);
        Claim claim = Claim::decode(fake.node(fake.layout.claim(id)).data);
        claim.requeue = true;
        fake.commit(zk::Transaction()
                        .set(fake.layout.claim(id), claim.encode())
                        .set(fake.pathOf(id), noted(fake.node(fake.pathOf(id)).data, &JobNotes::markCancelled), 1));
        fake.settle(5s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("cancelled when it was to be tried again"));
        QVERIFY(fake.ready().empty());
        QCOMPARE(working.begun(), 1u);
    }

    void signalsArriveOnce()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const Working working(fake, 1);
        fake.settle(1s);
        for (const int number : {10, 12, 10})
            fake.run(sendSignal(Cluster(fake[0], fake.layout), id, number));
        fake.settle(1s);
        fake.write(fake.layout.claim(id), fake.node(fake.layout.claim(id)).data); // seen again
        fake.settle(1s);
        QCOMPARE(working.latest().received, (std::vector<int>{10, 12, 10}));
        QCOMPARE(working.worker.running(), 1);
    }

    // The claim is deleted by hand. Every worker may claim the job then, and this attempt must not run beside the next.
    void aJobThatHasLostItsClaimIsKilled_data()
    {
        QTest::addColumn<bool>("taken");
        QTest::newRow("no worker has it") << false;
        QTest::newRow("another has it") << true;
    }

    void aJobThatHasLostItsClaimIsKilled()
    {
        QFETCH(bool, taken);
        WorkerCluster fake(3);
        const JobId id = fake.submit();
        const Working working(fake, 1);
        fake.settle(1s);
        QCOMPARE(working.worker.running(), 1);
        zk::Transaction loss;
        loss.remove(fake.layout.claim(id));
        if (taken) {
            Claim other = Claim::decode(fake.node(fake.layout.claim(id)).data);
            other.attempts.claimVersion = 2;
            other.signalCount = 1;
            other.latestSignals.push_back({10, {}});
            loss.set(fake.pathOf(id), fake.node(fake.pathOf(id)).data, 1)
                .create(fake.layout.claim(id), other.encode(), zk::CreateMode::Ephemeral);
        }
        fake.commit(loss, 2);
        fake.settle(200ms);
        const Execution &first = working.witness().front();
        QVERIFY(first.until < async::TimePoint::max());
        QVERIFY(first.received.empty()); // they were meant for the other
        QCOMPARE(fake.exists(fake.layout.done(id)), false);
        QCOMPARE(working.worker.rejectedReports(), 0);
        QCOMPARE(fake.isClaimedBy(id, taken ? 2 : 1), true);
        QCOMPARE(working.begun(), taken ? 1u : 2u);
    }

    // The worker is gone before it has seen the cancel: another does not run the job again.
    void aCancelOutlivesTheWorker()
    {
        WorkerCluster fake(3);
        const JobId id = fake.submit();
        const Working first(fake, 1);
        fake.settle(1s);
        fake.session(1).disconnect();
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.server.expire(fake[1].sessionId());
        const Working second(fake, 2);
        fake.settle(2min);
        QCOMPARE(second.begun(), 0u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
    }

    // The only other worker serves another queue. It carries out the cancel as the master.
    void aCancelIsCarriedOutWithoutAnotherWorkerOfTheQueue()
    {
        WorkerCluster fake(3);
        workers::WorkerOptions elsewhere;
        elsewhere.queues = {"other"};
        const Working other(fake, 2, elsewhere);
        const JobId id = fake.submit();
        const Working first(fake, 1);
        fake.settle(1s);
        fake.session(1).disconnect();
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(5s);
        QVERIFY(!fake.exists(fake.layout.done(id))); // its worker may live
        fake.server.expire(fake[1].sessionId());
        fake.settle(2s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(fake.childrenOf(cancelNotes(fake.layout)).isEmpty());
    }

    void ofACancelThatWasCarriedOutNothingIsLeft()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const Working working(fake, 1);
        fake.settle(1s);
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        QCOMPARE(fake.childrenOf(cancelNotes(fake.layout)).size(), 1);
        fake.settle(3s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(fake.childrenOf(cancelNotes(fake.layout)).isEmpty());
    }

    // A malformed job cannot be removed, because another program has put a node below it.
    void aHopelessJobIsTriedOnce()
    {
        WorkerCluster fake(2);
        const zk::Path job = fake.layout.queue("default") / "q0-0000000500";
        fake.write(job, "nonsense");
        fake.write(job / "child", {});
        const Working working(fake, 1);
        fake.settle(2s);
        const quint64 before = fake[1].counters().requests;
        fake.settle(10s);
        // Each second the feed's two reads and a handful of the master's.
        QVERIFY2(fake[1].counters().requests - before < 200,
                 qPrintable(QString::number(fake[1].counters().requests - before)));
        const JobId id = fake.submit();
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // The worker is cut off, and its runner does not enforce the lease: no other may begin the job beside it.
    void aStoppedRunnerIsKilledBeforeTheSessionEnds()
    {
        WorkerCluster fake(3);
        const JobId id = fake.submit();
        Working cutOff(fake, 1);
        fake.settle(1s);
        cutOff.stopRunner();
        fake.session(1).partition();
        const Working other(fake, 2);
        fake.settle(2min);
        QCOMPARE(other.begun(), 1u);
        QVERIFY(cutOff.latest().until <= other.latest().from);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    void aStoppedRunnerDoesNotKeepAWorkerFromEnding()
    {
        WorkerCluster fake(2);
        fake.submit();
        Working working(fake, 1);
        fake.settle(1s);
        working.stopRunner();
        fake.server.expire(fake[1].sessionId());
        fake.settle(fake[1].sessionTimeout() / 10);
        QVERIFY(working.ended());
        QVERIFY(working.latest().until < async::TimePoint::max());
    }

    void aDeadRunnerCostsOneAttempt()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        Working working(fake, 1);
        fake.settle(1s);
        working.killRunner();
        fake.settle(3s);
        QCOMPARE(working.begun(), 2u);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(id).attempts.claimVersion, 2);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }
};

QTEST_GUILESS_MAIN(WorkerTest)
#include "worker_test.moc"
