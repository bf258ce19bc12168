#include "core/jobs/job_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

class CancelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aReadyJobEndsAtOnce()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Cancelled);
        QCOMPARE(fake.stateOf(id), JobState::Cancelled);
        QCOMPARE(fake.recordOf(id).finishedAt, fake.world.wallClock());
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
    }

    void aZnodeBelowTheJobKeepsIt()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.write(fake.pathOf(id) / "child", {});
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(cancel(fake.cluster(), id)));
        QCOMPARE(fake.stateOf(id), JobState::Ready);
    }

    void aRunningJobsWorkerIsAsked()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.claim(id, 0);
        QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Asked);
        const Claim claim = Claim::decode(fake.server.tree().find(fake.layout.claim(id))->data);
        QVERIFY(claim.cancelled);
        QCOMPARE(claim.attempts.claimVersion, 1);
    }

    // Between the look at the claim and the cancel, in one of these rounds.
    void concurrentRequestsToTheWorkerAreKept()
    {
        int both = 0;
        for (int after = 0; after < 12; ++after) {
            JobCluster fake(2, {.latency = 5ms});
            const JobId id = fake.submit();
            fake.claim(id, 0);
            async::TaskGroup cancelling([](const std::exception_ptr &) {});
            const auto run = [&]() -> async::Task<void> { co_await cancel(fake.cluster(1), id); };
            cancelling.spawn(run());
            fake.settle(std::chrono::milliseconds(after * 5) + 1ms);
            bool signalled = true;
            try {
                fake.run(sendSignal(fake.cluster(), id, 10));
            } catch (const WrongState &) { // the cancel was first
                signalled = false;
            }
            fake.settle(1s);
            const Claim claim = fake.claimOf(id);
            QVERIFY(claim.cancelled);
            QCOMPARE(claim.signalCount, int(signalled));
            both += signalled;
        }
        QVERIFY(both > 0);
    }

    void askingTwiceAsksOnce()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.claim(id, 0);
        fake.run(cancel(fake.cluster(), id));
        const qint32 version = fake.node(fake.pathOf(id)).stat.version;
        QCOMPARE(version, 2); // a claim and a cancel
        QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Asked);
        QCOMPARE(fake.node(fake.pathOf(id)).stat.version, version);
        QCOMPARE(fake.view(id).attempts, 1);
    }

    // The worker dies before it has obeyed: the job's own node still says so.
    void aCancelOutlivesTheWorkerThatWasAsked()
    {
        JobCluster fake(2);
        const JobId id = fake.submit();
        fake.claim(id, 1);
        fake.run(cancel(fake.cluster(), id));
        fake.server.expire(fake[1].sessionId());
        fake.settle();
        const JobView view = fake.view(id);
        QCOMPARE(view.state, JobState::Ready);
        QVERIFY(view.spec->notes.cancelled);
        QCOMPARE(fake.run(cancel(fake.cluster(), id)),
                 CancelResult::Cancelled); // no worker may ever claim it
        QCOMPARE(fake.recordOf(id).attempts.claimVersion, 1);
    }

    void theRecordSaysWhetherItHadRun()
    {
        JobCluster fake(3);
        const JobId fresh = fake.submit();
        const JobId lost = fake.submit();
        const JobId returned = fake.submit();
        fake.claim(lost, 1);
        fake.claim(returned, 2);
        fake.write(fake.pathOf(returned), noted(fake.node(fake.pathOf(returned)).data, &JobNotes::countReturned));
        fake.server.expire(fake[1].sessionId());
        fake.server.expire(fake[2].sessionId());
        fake.settle();
        for (const JobId &id : {fresh, lost, returned})
            QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Cancelled);
        QCOMPARE(fake.recordOf(fresh).reason, QStringLiteral("cancelled before it ran"));
        QCOMPARE(fake.recordOf(lost).reason, QStringLiteral("cancelled while it waited to be tried again"));
        QCOMPARE(fake.recordOf(returned).reason, QStringLiteral("cancelled while it waited"));
    }

    void anArrayThatHasNotBegunHasNotRun()
    {
        JobCluster fake;
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{1, 3};
        const JobId id = fake.submit(spec);
        QCOMPARE(fake.run(cancelUnexpandedTasks(fake.cluster(), id, 2, 2)), 1); // raises its version
        QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Cancelled);
        QCOMPARE(fake.recordOf(id).reason, QStringLiteral("cancelled before it ran"));
    }

    void aMalformedJobThatSeemsToRunEndsAtOnce()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.claim(id, 0);
        fake.write(fake.pathOf(id), "nonsense");
        QCOMPARE(fake.run(cancel(fake.cluster(), id)), CancelResult::Cancelled);
        QVERIFY(!fake.exists(fake.pathOf(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(fake.recordOf(id).reason.contains(u"could not be read"));
    }

    void anEndedJobIsAWrongState()
    {
        JobCluster fake;
        const JobId id = fake.submit();
        fake.run(cancel(fake.cluster(), id));
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(cancel(fake.cluster(), id)));
    }

    void aLostReplyIsNotAWrongState()
    {
        FaultPlan plan;
        plan.scripted[5] = Fault::LoseReply; // after the four reads
        FaultInjector faults(plan);
        JobCluster fake(2, {.faults = &faults});
        const JobId id = fake.submit();
        QCOMPARE(fake.run(cancel(fake.cluster(1), id)), CancelResult::Cancelled);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
    }

    // The schedule with seed 457: a claim between the looks at the claim and at the job left a claim beside no job.
    void aClaimWhileLookingIsNotOverlooked()
    {
        for (int after = 1; after <= 4; ++after) {
            JobCluster fake(2, {.latency = 5ms});
            const JobId id = fake.submit();
            async::TaskGroup cancelling([](const std::exception_ptr &) {});
            const auto run = [&]() -> async::Task<void> { co_await cancel(fake.cluster(1), id); };
            cancelling.spawn(run());
            fake.settle(std::chrono::milliseconds(after * 5) + 1ms);
            const bool stillThere = !fake.childrenOf(fake.layout.queue("default")).isEmpty();
            if (stillThere)
                fake.claim(id, 0);
            fake.settle(1s);
            const bool jobThere = !fake.childrenOf(fake.layout.queue("default")).isEmpty();
            const bool claimThere = !fake.childrenOf(fake.layout.claims()).isEmpty();
            QCOMPARE(claimThere, jobThere);
        }
    }
};

QTEST_GUILESS_MAIN(CancelTest)
#include "cancel_job_test.moc"
