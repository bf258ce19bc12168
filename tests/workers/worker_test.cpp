#include "jobs/cancel.h"
#include "jobs/control.h"
#include "workers/working.h"

#include <QCoreApplication>
#include <QLoggingCategory>
#include <QSysInfo>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

class WorkerTest : public QObject
{
    Q_OBJECT

    // Somebody else is a member by the id of the worker of session 1.
    static zk::Path takeIdOfFirst(WorkerParty &party)
    {
        WorkerInfo other;
        other.id = QString::fromLatin1(WorkerParty::nameOf(1));
        other.host = QStringLiteral("elsewhere");
        other.pid = 4711;
        const zk::Path member = party.layout.members() / WorkerParty::nameOf(1);
        party.commit(zk::Transaction().create(member, other.encode(), zk::CreateMode::Ephemeral));
        return member;
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(
            QStringLiteral("drover.workers.*.info=false\ndrover.workers.attempts.warning=false"));
    }

    void aStoppedWorkerFinishesWhatRuns()
    {
        WorkerParty party(2);
        for (int i = 0; i < 3; ++i)
            party.submit();
        Working working(party, 1, 2);
        party.settle(1s);
        QCOMPARE(working.worker.running(), 2);
        working.worker.stop();
        party.settle(2min);
        QVERIFY(working.ended());
        QCOMPARE(working.begun(), 2u);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 2);
        QCOMPARE(party.ready().size(), 1u);
        QVERIFY(party.childrenOf(party.layout.claims()).isEmpty());
        QVERIFY(party.childrenOf(party.layout.members()).isEmpty());
    }

    void anIdThatIsTakenIsToldAndWaitedFor()
    {
        WorkerParty party(2);
        const zk::Path member = takeIdOfFirst(party);
        int joined = 0;
        QStringList holders;
        workers::Worker::Events events;
        events.joined = [&joined] { ++joined; };
        events.idIsTaken = [&holders](const WorkerInfo &other) {
            holders.append(QStringLiteral("%1 %2").arg(other.host).arg(other.pid));
        };
        const Working working(party, 1, Working::options(1), 1min, events);
        party.settle(5s);
        QCOMPARE(joined, 0);
        QCOMPARE(holders, QStringList(QStringLiteral("elsewhere 4711")));
        party.commit(zk::Transaction().remove(member));
        const JobId id = party.submit();
        party.settle(2min);
        QCOMPARE(joined, 1);
        QCOMPARE(holders.size(), 1);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
    }

    // Found by a reader: after an outage each worker was told to choose another id, because of itself.
    void theLastSessionOfAWorkerIsNoOtherWorker()
    {
        WorkerParty party(2);
        WorkerInfo self;
        self.id = QString::fromLatin1(WorkerParty::nameOf(1));
        self.host = QSysInfo::machineHostName();
        self.pid = QCoreApplication::applicationPid();
        const zk::Path member = party.layout.members() / WorkerParty::nameOf(1);
        party.commit(zk::Transaction().create(member, self.encode(), zk::CreateMode::Ephemeral));
        int taken = 0;
        int lives = 0;
        int joined = 0;
        workers::Worker::Events events;
        events.idIsTaken = [&taken](const WorkerInfo &) { ++taken; };
        events.lastSessionLives = [&lives] { ++lives; };
        events.joined = [&joined] { ++joined; };
        const Working working(party, 1, Working::options(1), 1min, events);
        party.settle(5s);
        QCOMPARE(std::tuple(taken, lives, joined), std::tuple(0, 1, 0));
        party.commit(zk::Transaction().remove(member));
        party.settle(5s);
        QCOMPARE(std::tuple(taken, lives, joined), std::tuple(0, 1, 1));
    }

    void aStopEndsTheWaitForAnId()
    {
        WorkerParty party(2);
        takeIdOfFirst(party);
        Working working(party, 1);
        party.settle(5s);
        QVERIFY(!working.ended());
        working.worker.stop();
        party.settle(100ms);
        QVERIFY(working.ended());
        QCOMPARE(party.childrenOf(party.layout.members()).size(), 1); // not ours
    }

    void anAbandonedJobIsForOthers()
    {
        WorkerParty party(3);
        const JobId id = party.submit();
        Working first(party, 1);
        party.settle(1s);
        first.worker.abandonJobs();
        party.settle(1s);
        QVERIFY(first.ended());
        QVERIFY(!party.exists(party.layout.claim(id)));
        const Working second(party, 2);
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(party.attemptsOf(id), 1);
    }

    void aCancelKillsWhatRuns()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        const Working working(party, 1);
        party.settle(1s);
        QCOMPARE(working.worker.running(), 1);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Asked);
        party.settle(1s);
        QCOMPARE(working.worker.running(), 0);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(working.worker.rejectedReports(), 0);
    }

    // However often: it counts neither as an attempt nor as a failure.
    void aRequeuedJobRunsAgain()
    {
        WorkerParty party(2);
        JobSpec spec = JobParty::spec();
        spec.maxAttempts = 1;
        Submitter submitter(party[0], party.layout, {});
        const JobId id = party.run(submitter.submit(spec));
        const Working working(party, 1);
        for (std::size_t round = 1; round <= 3; ++round) {
            party.settle(2s);
            QCOMPARE(working.begun(), round);
            QCOMPARE(working.worker.running(), 1);
            QCOMPARE(party.run(requeue(party[0], party.layout, id)).from, JobState::Running);
        }
        party.settle(2min);
        QCOMPARE(working.begun(), 4u);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(working.worker.rejectedReports(), 0);
    }

    void aCancelWinsOverARequeue()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        const Working working(party, 1);
        party.settle(1s);
        Claim claim = Claim::decode(party.node(party.layout.claim(id)).data);
        claim.requeue = claim.cancelled = true;
        party.commit(zk::Transaction()
                         .set(party.pathOf(id), JobSpec::markCancelled(party.node(party.pathOf(id)).data), 1)
                         .set(party.layout.claim(id), claim.encode()));
        party.settle(5s);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(working.begun(), 1u);
    }

    // It was killed to be begun again, and somebody cancels it before the worker has said so.
    void aCancelAfterARequeueEndsTheJob()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        const Working working(party, 1);
        party.settle(1s);
        Claim claim = Claim::decode(party.node(party.layout.claim(id)).data);
        claim.requeue = true;
        party.commit(zk::Transaction()
                         .set(party.layout.claim(id), claim.encode())
                         .set(party.pathOf(id), JobSpec::markCancelled(party.node(party.pathOf(id)).data), 1));
        party.settle(5s);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QCOMPARE(party.recordOf(id).reason, QStringLiteral("cancelled when it was to be tried again"));
        QVERIFY(party.ready().empty());
        QCOMPARE(working.begun(), 1u);
    }

    void signalsArriveOnce()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        const Working working(party, 1);
        party.settle(1s);
        for (const int number : {10, 12, 10})
            party.run(sendSignal(party[0], party.layout, id, number));
        party.settle(1s);
        party.write(party.layout.claim(id), party.node(party.layout.claim(id)).data); // seen again
        party.settle(1s);
        QCOMPARE(working.latest().received, (std::vector<int>{10, 12, 10}));
        QCOMPARE(working.worker.running(), 1);
    }

    // Somebody deletes it by hand: the job is for all, and this attempt must not run beside the next.
    void aJobThatHasLostItsClaimIsKilled_data()
    {
        QTest::addColumn<bool>("taken");
        QTest::newRow("nobody has it") << false;
        QTest::newRow("another has it") << true;
    }

    void aJobThatHasLostItsClaimIsKilled()
    {
        QFETCH(bool, taken);
        WorkerParty party(3);
        const JobId id = party.submit();
        const Working working(party, 1);
        party.settle(1s);
        QCOMPARE(working.worker.running(), 1);
        zk::Transaction loss;
        loss.remove(party.layout.claim(id));
        if (taken) {
            Claim other = Claim::decode(party.node(party.layout.claim(id)).data);
            other.attempt = 2;
            other.signalCount = 1;
            other.latestSignals.push_back({10, {}});
            loss.set(party.pathOf(id), party.node(party.pathOf(id)).data, 1)
                .create(party.layout.claim(id), other.encode(), zk::CreateMode::Ephemeral);
        }
        party.commit(loss, 2);
        party.settle(200ms);
        const Execution &first = working.witness().front();
        QVERIFY(first.until < async::TimePoint::max());
        QVERIFY(first.received.empty()); // they were meant for the other
        QCOMPARE(party.exists(party.layout.done(id)), false);
        QCOMPARE(working.worker.rejectedReports(), 0);
        QCOMPARE(party.isClaimedBy(id, taken ? 2 : 1), true);
        QCOMPARE(working.begun(), taken ? 1u : 2u);
    }

    // The worker is gone before it has seen the cancel: another does not run the job again.
    void aCancelOutlivesTheWorker()
    {
        WorkerParty party(3);
        const JobId id = party.submit();
        const Working first(party, 1);
        party.settle(1s);
        party.session(1).disconnect();
        party.run(cancel(party[0], party.layout, id));
        party.server.expire(party[1].sessionId());
        const Working second(party, 2);
        party.settle(2min);
        QCOMPARE(second.begun(), 0u);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
    }

    // The same when the only other worker serves another queue: it is the master.
    void aCancelIsCarriedOutWithoutAnotherWorkerOfTheQueue()
    {
        WorkerParty party(3);
        workers::WorkerOptions elsewhere;
        elsewhere.queues = {"other"};
        const Working other(party, 2, elsewhere);
        const JobId id = party.submit();
        const Working first(party, 1);
        party.settle(1s);
        party.session(1).disconnect();
        party.run(cancel(party[0], party.layout, id));
        party.settle(5s);
        QVERIFY(!party.exists(party.layout.done(id))); // its worker may live
        party.server.expire(party[1].sessionId());
        party.settle(2s);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(party.childrenOf(cancelNotes(party.layout)).isEmpty());
    }

    void ofACancelThatWasCarriedOutNothingIsLeft()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        const Working working(party, 1);
        party.settle(1s);
        party.run(cancel(party[0], party.layout, id));
        QCOMPARE(party.childrenOf(cancelNotes(party.layout)).size(), 1);
        party.settle(3s);
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(party.childrenOf(cancelNotes(party.layout)).isEmpty());
    }

    // A malformed job that cannot be removed, because somebody has put a node below it.
    void aHopelessJobIsTriedOnce()
    {
        WorkerParty party(2);
        const zk::Path job = party.layout.queue("default") / "q0-0000000500";
        party.write(job, "nonsense");
        party.write(job / "child", {});
        const Working working(party, 1);
        party.settle(2s);
        const quint64 before = party[1].counters().requests;
        party.settle(10s);
        // Each second the feed's two reads and a handful of the master's.
        QVERIFY2(party[1].counters().requests - before < 200,
                 qPrintable(QString::number(party[1].counters().requests - before)));
        const JobId id = party.submit();
        party.settle(2min);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
    }

    // The worker is cut off, and its runner does not enforce the lease: no other may begin the job beside it.
    void aStoppedRunnerIsKilledBeforeTheSessionEnds()
    {
        WorkerParty party(3);
        const JobId id = party.submit();
        Working cutOff(party, 1);
        party.settle(1s);
        cutOff.stopRunner();
        party.session(1).partition();
        const Working other(party, 2);
        party.settle(2min);
        QCOMPARE(other.begun(), 1u);
        QVERIFY(cutOff.latest().until <= other.latest().from);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
    }

    void aStoppedRunnerDoesNotKeepAWorkerFromEnding()
    {
        WorkerParty party(2);
        party.submit();
        Working working(party, 1);
        party.settle(1s);
        working.stopRunner();
        party.server.expire(party[1].sessionId());
        party.settle(party[1].sessionTimeout() / 10);
        QVERIFY(working.ended());
        QVERIFY(working.latest().until < async::TimePoint::max());
    }

    void aDeadRunnerCostsOneAttempt()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        Working working(party, 1);
        party.settle(1s);
        working.killRunner();
        party.settle(3s);
        QCOMPARE(working.begun(), 2u);
        party.settle(2min);
        QCOMPARE(party.recordOf(id).attempt, 2);
        QCOMPARE(party.recordOf(id).state(), JobState::Succeeded);
    }
};

QTEST_GUILESS_MAIN(WorkerTest)
#include "worker_test.moc"
