#include "core/jobs/job_party.h"
#include "jobs/cancel.h"

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
        JobParty party;
        const JobId id = party.submit();
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled);
        QCOMPARE(party.stateOf(id), JobState::Cancelled);
        QCOMPARE(party.recordOf(id).finishedAt, party.world.wallClock());
        QVERIFY(party.childrenOf(party.layout.queue("default")).isEmpty());
    }

    void aRunningJobsWorkerIsAsked()
    {
        JobParty party;
        const JobId id = party.submit();
        party.claim(id, 0);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Asked);
        const Claim claim = Claim::decode(party.server.tree().find(party.layout.claim(id))->data);
        QVERIFY(claim.cancelled);
        QCOMPARE(claim.attempt, 1);
    }

    void askingTwiceAsksOnce()
    {
        JobParty party;
        const JobId id = party.submit();
        party.claim(id, 0);
        party.run(cancel(party[0], party.layout, id));
        const qint32 version = party.node(party.pathOf(id)).stat.version;
        QCOMPARE(version, 2); // a claim and a cancel
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Asked);
        QCOMPARE(party.node(party.pathOf(id)).stat.version, version);
        QCOMPARE(party.view(id).attempts, 1);
    }

    // The worker dies before it has obeyed: the job's own node still says so.
    void aCancelOutlivesTheWorkerThatWasAsked()
    {
        JobParty party(2);
        const JobId id = party.submit();
        party.claim(id, 1);
        party.run(cancel(party[0], party.layout, id));
        party.server.expire(party[1].sessionId());
        party.settle();
        const JobView view = party.view(id);
        QCOMPARE(view.state, JobState::Ready);
        QVERIFY(view.spec->cancelled);
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled); // nobody may ever claim it
        QCOMPARE(party.recordOf(id).attempt, 1);
    }

    void theRecordSaysWhetherItHadRun()
    {
        JobParty party(3);
        const JobId fresh = party.submit();
        const JobId lost = party.submit();
        const JobId returned = party.submit();
        party.claim(lost, 1);
        party.claim(returned, 2);
        party.write(party.pathOf(returned), JobSpec::countReturned(party.node(party.pathOf(returned)).data));
        party.server.expire(party[1].sessionId());
        party.server.expire(party[2].sessionId());
        party.settle();
        for (const JobId &id : {fresh, lost, returned})
            QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled);
        QCOMPARE(party.recordOf(fresh).reason, QStringLiteral("cancelled before it ran"));
        QCOMPARE(party.recordOf(lost).reason, QStringLiteral("cancelled while it waited to be tried again"));
        QCOMPARE(party.recordOf(returned).reason, QStringLiteral("cancelled while it waited"));
    }

    void anArrayThatHasNotBegunHasNotRun()
    {
        JobParty party;
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{1, 3};
        const JobId id = party.submit(spec);
        QCOMPARE(party.run(cancelUnfoldedLater(party[0], party.layout, id, 2, 2)), 1); // raises its version
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled);
        QCOMPARE(party.recordOf(id).reason, QStringLiteral("cancelled before it ran"));
    }

    void aMalformedJobThatSeemsToRunEndsAtOnce()
    {
        JobParty party;
        const JobId id = party.submit();
        party.claim(id, 0);
        party.write(party.pathOf(id), "nonsense");
        QCOMPARE(party.run(cancel(party[0], party.layout, id)), CancelResult::Cancelled);
        QVERIFY(!party.exists(party.pathOf(id)));
        QCOMPARE(party.recordOf(id).state(), JobState::Cancelled);
        QVERIFY(party.recordOf(id).reason.contains(u"could not be read"));
    }

    void anEndedJobIsAWrongState()
    {
        JobParty party;
        const JobId id = party.submit();
        party.run(cancel(party[0], party.layout, id));
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(cancel(party[0], party.layout, id)));
    }

    void aLostReplyIsNotAWrongState()
    {
        FaultPlan plan;
        plan.scripted[5] = Fault::LoseReply; // after the four reads
        FaultInjector faults(plan);
        JobParty party(2, {.faults = &faults});
        const JobId id = party.submit();
        QCOMPARE(party.run(cancel(party[1], party.layout, id)), CancelResult::Cancelled);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
    }

    // The schedule with seed 457: a claim between the looks at the claim and at the job left a claim beside no job.
    void aClaimWhileLookingIsNotOverlooked()
    {
        for (int after = 1; after <= 4; ++after) {
            JobParty party(2, {.latency = 5ms});
            const JobId id = party.submit();
            async::TaskGroup cancelling([](const std::exception_ptr &) {});
            const auto run = [&]() -> async::Task<void> { co_await cancel(party[1], party.layout, id); };
            cancelling.spawn(run());
            party.settle(std::chrono::milliseconds(after * 5) + 1ms);
            const bool stillThere = !party.childrenOf(party.layout.queue("default")).isEmpty();
            if (stillThere)
                party.claim(id, 0);
            party.settle(1s);
            const bool jobThere = !party.childrenOf(party.layout.queue("default")).isEmpty();
            const bool claimThere = !party.childrenOf(party.layout.claims()).isEmpty();
            QCOMPARE(claimThere, jobThere);
        }
    }
};

QTEST_GUILESS_MAIN(CancelTest)
#include "cancel_test.moc"
