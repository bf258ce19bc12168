#include "jobs/cancel.h"
#include "jobs/control.h"
#include "workers/begin_claimed.h"
#include "workers/worker_party.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using workers::beginClaimed;
using workers::ClaimedJob;
using workers::Claims;

// Jobs that were claimed to wait, and begin.
class BeginClaimedTest : public QObject
{
    Q_OBJECT

    static ClaimedJob claimPending(WorkerParty &party, int who)
    {
        return claim(party, who, workers::Fit::ClaimPending);
    }
    static ClaimedJob claimAhead(WorkerParty &party, int who) { return claim(party, who, workers::Fit::ClaimAhead); }
    static ClaimedJob claim(WorkerParty &party, int who, workers::Fit fit)
    {
        workers::Terms terms;
        terms.judge = [fit](const ClaimedJob &) { return fit; };
        workers::Claimer claimer(party[who], party.layout, QString::fromLatin1(WorkerParty::nameOf(who)));
        Claims claims = party.run(claimer.claim("default", party.ready(), terms));
        if (claims.jobs.size() != 1)
            throw std::runtime_error("one job was expected to be claimed");
        return claims.jobs.front();
    }

    static JobId submitOnce(WorkerParty &party)
    {
        JobSpec spec = JobParty::spec();
        spec.maxAttempts = 1;
        return party.submit(spec);
    }

    static Claim claimOf(const WorkerParty &party, const JobId &id)
    {
        return Claim::decode(party.node(party.layout.claim(id)).data);
    }

    static JobSpec specOf(const WorkerParty &party, const JobId &id)
    {
        return JobSpec::decode(party.node(party.pathOf(id)).data, "default", 5);
    }

private Q_SLOTS:
    void itIsAnAttemptFromThenOn()
    {
        WorkerParty party(2);
        const JobId id = submitOnce(party);
        ClaimedJob job = claimPending(party, 1);
        QVERIFY(job.pending && claimOf(party, id).pending);
        QCOMPARE(job.version(), party.node(party.pathOf(id)).stat.version);
        QCOMPARE(specOf(party, id).begun(job.version()), 0);
        QVERIFY(party.run(beginClaimed(party[1], party.layout, job)));
        QVERIFY(!job.pending && claimOf(party, id).hasBegun());
        QCOMPARE(job.attempt, 1);
        QCOMPARE(job.version(), party.node(party.pathOf(id)).stat.version);
        QCOMPARE(job.changed(), party.node(party.pathOf(id)).stat.mzxid);
        QCOMPARE(job.stored, party.node(party.pathOf(id)).data);
        QCOMPARE(specOf(party, id).begun(job.version()), 1);
        QCOMPARE(specOf(party, id).latestClaim(job.version()), 1);
    }

    // Somebody asks for something at every moment: it stays in the claim.
    void whatIsAskedOfAClaimAheadStaysWhenItRuns()
    {
        for (int after = 0; after <= 8; ++after) {
            WorkerParty party(2, {.latency = 5ms});
            const JobId id = party.submit();
            ClaimedJob job = claimAhead(party, 1);
            QVERIFY(!claimOf(party, id).hasBegun());
            async::TaskGroup saying;
            saying.spawn(workers::sayThatItRuns(party[1], party.layout, job));
            party.settle(after * 5ms + 1ms);
            Claim asked = claimOf(party, id);
            asked.addSignal(10, QStringLiteral("key"));
            party.write(party.layout.claim(id), asked.encode());
            party.settle(1s);
            QVERIFY(claimOf(party, id).hasBegun());
            QCOMPARE(claimOf(party, id).signalCount, 1);
            QCOMPARE(party.node(party.pathOf(id)).stat.version, 1); // it costs no attempt
        }
    }

    void anothersClaimIsLeftAlone()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        const ClaimedJob job = claimAhead(party, 1);
        party.commit(zk::Transaction().remove(party.layout.claim(id)));
        claimAhead(party, 0);
        party.run(workers::sayThatItRuns(party[1], party.layout, job));
        QVERIFY(!claimOf(party, id).hasBegun());
        QCOMPARE(party.node(party.layout.claim(id)).stat.version, 0);
    }

    // Found by a reviewer: it was given up as lost with its worker.
    void aWorkerThatIsLostBeforeThatHasCostNoAttempt()
    {
        WorkerParty party(3);
        const JobId id = submitOnce(party);
        for (int who = 1; who <= 2; ++who) {
            claimPending(party, who);
            party.server.expire(party[who].sessionId());
            party.settle();
        }
        ClaimedJob job = claimPending(party, 0);
        QCOMPARE(job.attempt, 3);
        QVERIFY(party.run(beginClaimed(party[0], party.layout, job)));
        QCOMPARE(specOf(party, id).begun(job.version()), 1);
    }

    void oneThatIsLostAfterThatHas()
    {
        WorkerParty party(2);
        const JobId id = submitOnce(party);
        ClaimedJob job = claimPending(party, 1);
        QVERIFY(party.run(beginClaimed(party[1], party.layout, job)));
        party.server.expire(party[1].sessionId());
        party.settle();
        QVERIFY(party.claimReady(0).jobs.empty());
        const FinalRecord record = party.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::GaveUp);
        QCOMPARE(record.attempt, 1);
        QVERIFY2(record.reason.startsWith(u'1'), qPrintable(record.reason));
    }

    void aLostReplyIsNoRefusal_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("reply") << int(Fault::LoseReply);
        QTest::newRow("request") << int(Fault::LoseRequest);
    }
    void aLostReplyIsNoRefusal()
    {
        QFETCH(int, fault);
        FaultPlan plan;
        plan.behind = 1; // the next server
        plan.longestLag = 20s;
        plan.scripted[4] = static_cast<Fault>(fault); // the spec, the claim; the claim read, the beginning
        FaultInjector faults(plan);
        WorkerParty party(2, {.faults = &faults});
        const JobId id = submitOnce(party);
        ClaimedJob job = claimPending(party, 1);
        QVERIFY(party.run(beginClaimed(party[1], party.layout, job)));
        QCOMPARE(faults.log().count(static_cast<Fault>(fault)), 1u);
        QCOMPARE(job.version(), 2);
        QCOMPARE(party.node(party.pathOf(id)).stat.version, 2);
        QCOMPARE(job.changed(), party.node(party.pathOf(id)).stat.mzxid);
        QVERIFY(claimOf(party, id).hasBegun());
    }

    void whatIsCancelledDoesNotBegin()
    {
        WorkerParty party(2);
        const JobId id = submitOnce(party);
        ClaimedJob job = claimPending(party, 1);
        party.run(cancel(party[0], party.layout, id));
        QVERIFY(!party.run(beginClaimed(party[1], party.layout, job)));
        QCOMPARE(party.node(party.pathOf(id)).stat.version, 2); // the claim, the cancel
    }

    void whatIsAskedBackDoesNotBegin()
    {
        WorkerParty party(2);
        const JobId id = submitOnce(party);
        ClaimedJob job = claimPending(party, 1);
        party.run(requeue(party[0], party.layout, id));
        QVERIFY(!party.run(beginClaimed(party[1], party.layout, job)));
        QVERIFY(claimOf(party, id).pending);
    }

    void signalsThatItGotWhileItWaitedAreKept()
    {
        WorkerParty party(2);
        const JobId id = submitOnce(party);
        ClaimedJob job = claimPending(party, 1);
        party.run(sendSignal(party[0], party.layout, id, 10));
        QVERIFY(party.run(beginClaimed(party[1], party.layout, job)));
        QCOMPARE(claimOf(party, id).signalCount, 1);
    }

    // Its claim was deleted by hand, and somebody else has it.
    void aZombieDoesNotBegin()
    {
        WorkerParty party(3);
        const JobId id = submitOnce(party);
        ClaimedJob zombie = claimPending(party, 1);
        party.commit(zk::Transaction().remove(party.layout.claim(id)));
        ClaimedJob job = claimPending(party, 2);
        QVERIFY(!party.run(beginClaimed(party[1], party.layout, zombie)));
        QVERIFY(claimOf(party, id).pending);
        QVERIFY(party.run(beginClaimed(party[2], party.layout, job)));
    }
};

QTEST_GUILESS_MAIN(BeginClaimedTest)
#include "begin_claimed_test.moc"
