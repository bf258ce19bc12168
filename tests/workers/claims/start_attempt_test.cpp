#include "jobs/client/cancel_job.h"
#include "jobs/client/job_control.h"
#include "workers/claims/start_attempt.h"
#include "workers/worker_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using workers::ClaimedJob;
using workers::Claims;
using workers::startAttempt;

// Jobs that were claimed to wait, and begin.
class StartAttemptTest : public QObject
{
    Q_OBJECT

    static ClaimedJob claimPending(WorkerCluster &fake, int who) { return claim(fake, who, &ClaimedJob::pending); }
    static ClaimedJob claimAhead(WorkerCluster &fake, int who) { return claim(fake, who, &ClaimedJob::prefetched); }
    static ClaimedJob claim(WorkerCluster &fake, int who, bool ClaimedJob::*mark)
    {
        workers::Claimer claimer(jobs::Cluster(fake[who], fake.layout),
                                 QString::fromLatin1(WorkerCluster::nameOf(who)));
        workers::Candidates found = fake.run(claimer.read("default", fake.ready()));
        for (ClaimedJob &job : found.jobs)
            job.*mark = true;
        Claims claims = fake.run(claimer.claim(std::move(found.jobs)));
        if (claims.jobs.size() != 1)
            throw std::runtime_error("one job was expected to be claimed");
        return claims.jobs.front();
    }

    static JobId submitOnce(WorkerCluster &fake)
    {
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 1;
        return fake.submit(spec);
    }

    static Claim claimOf(const WorkerCluster &fake, const JobId &id)
    {
        return Claim::decode(fake.node(fake.layout.claim(id)).data);
    }

    static JobSpec specOf(const WorkerCluster &fake, const JobId &id)
    {
        return JobSpec::decode(fake.node(fake.pathOf(id)).data, "default", 5);
    }

private Q_SLOTS:
    void aStartedClaimIsAnAttempt()
    {
        WorkerCluster fake(2);
        const JobId id = submitOnce(fake);
        ClaimedJob job = claimPending(fake, 1);
        QVERIFY(job.pending && claimOf(fake, id).pending);
        QCOMPARE(job.fenceVersion(), fake.node(fake.pathOf(id)).stat.version);
        QCOMPARE(specOf(fake, id).attempts(job.fenceVersion()).number(), 0);
        QVERIFY(fake.run(startAttempt(jobs::Cluster(fake[1], fake.layout), job)));
        QVERIFY(!job.pending && claimOf(fake, id).hasBegun());
        QCOMPARE(job.attempts.claimVersion, 1);
        QCOMPARE(job.fenceVersion(), fake.node(fake.pathOf(id)).stat.version);
        QCOMPARE(job.fenceZxid(), fake.node(fake.pathOf(id)).stat.mzxid);
        QCOMPARE(job.stored, fake.node(fake.pathOf(id)).data);
        QCOMPARE(specOf(fake, id).attempts(job.fenceVersion()).number(), 1);
        QCOMPARE(specOf(fake, id).attempts(job.fenceVersion()).claimVersion, 1);
    }

    // A request to the job, such as a cancel, comes at every moment. It stays in the claim.
    void requestsToAClaimAheadStayWhenItRuns()
    {
        for (int after = 0; after <= 8; ++after) {
            WorkerCluster fake(2, {.latency = 5ms});
            const JobId id = fake.submit();
            ClaimedJob job = claimAhead(fake, 1);
            QVERIFY(!claimOf(fake, id).hasBegun());
            async::TaskGroup saying;
            saying.spawn(workers::clearPrefetchMark(jobs::Cluster(fake[1], fake.layout), job));
            fake.settle(after * 5ms + 1ms);
            Claim asked = claimOf(fake, id);
            asked.addSignal(10, QStringLiteral("key"));
            fake.write(fake.layout.claim(id), asked.encode());
            fake.settle(1s);
            QVERIFY(claimOf(fake, id).hasBegun());
            QCOMPARE(claimOf(fake, id).signalCount, 1);
            QCOMPARE(fake.node(fake.pathOf(id)).stat.version, 1); // it costs no attempt
        }
    }

    void anothersClaimIsLeftAlone()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        const ClaimedJob job = claimAhead(fake, 1);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        claimAhead(fake, 0);
        fake.run(workers::clearPrefetchMark(jobs::Cluster(fake[1], fake.layout), job));
        QVERIFY(!claimOf(fake, id).hasBegun());
        QCOMPARE(fake.node(fake.layout.claim(id)).stat.version, 0);
    }

    // Found by a reviewer: it was given up as lost with its worker.
    void aWorkerThatIsLostBeforeThatHasCostNoAttempt()
    {
        WorkerCluster fake(3);
        const JobId id = submitOnce(fake);
        for (int who = 1; who <= 2; ++who) {
            claimPending(fake, who);
            fake.server.expire(fake[who].sessionId());
            fake.settle();
        }
        ClaimedJob job = claimPending(fake, 0);
        QCOMPARE(job.attempts.claimVersion, 3);
        QVERIFY(fake.run(startAttempt(jobs::Cluster(fake[0], fake.layout), job)));
        QCOMPARE(specOf(fake, id).attempts(job.fenceVersion()).number(), 1);
    }

    void aClaimLostAfterItsStartIsAnAttempt()
    {
        WorkerCluster fake(2);
        const JobId id = submitOnce(fake);
        ClaimedJob job = claimPending(fake, 1);
        QVERIFY(fake.run(startAttempt(jobs::Cluster(fake[1], fake.layout), job)));
        fake.server.expire(fake[1].sessionId());
        fake.settle();
        QVERIFY(fake.claimReady(0).jobs.empty());
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::GaveUp);
        QCOMPARE(record.attempts.claimVersion, 1);
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
        WorkerCluster fake(2, {.faults = &faults});
        const JobId id = submitOnce(fake);
        ClaimedJob job = claimPending(fake, 1);
        QVERIFY(fake.run(startAttempt(jobs::Cluster(fake[1], fake.layout), job)));
        QCOMPARE(faults.log().count(static_cast<Fault>(fault)), 1u);
        QCOMPARE(job.fenceVersion(), 2);
        QCOMPARE(fake.node(fake.pathOf(id)).stat.version, 2);
        QCOMPARE(job.fenceZxid(), fake.node(fake.pathOf(id)).stat.mzxid);
        QVERIFY(claimOf(fake, id).hasBegun());
    }

    void aCancelledJobDoesNotBegin()
    {
        WorkerCluster fake(2);
        const JobId id = submitOnce(fake);
        ClaimedJob job = claimPending(fake, 1);
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        QVERIFY(!fake.run(startAttempt(jobs::Cluster(fake[1], fake.layout), job)));
        QCOMPARE(fake.node(fake.pathOf(id)).stat.version, 2); // the claim, the cancel
    }

    void aRecalledJobDoesNotBegin()
    {
        WorkerCluster fake(2);
        const JobId id = submitOnce(fake);
        ClaimedJob job = claimPending(fake, 1);
        fake.run(requeue(Cluster(fake[0], fake.layout), id));
        QVERIFY(!fake.run(startAttempt(jobs::Cluster(fake[1], fake.layout), job)));
        QVERIFY(claimOf(fake, id).pending);
    }

    void signalsThatItGotWhileItWaitedAreKept()
    {
        WorkerCluster fake(2);
        const JobId id = submitOnce(fake);
        ClaimedJob job = claimPending(fake, 1);
        fake.run(sendSignal(Cluster(fake[0], fake.layout), id, 10));
        QVERIFY(fake.run(startAttempt(jobs::Cluster(fake[1], fake.layout), job)));
        QCOMPARE(claimOf(fake, id).signalCount, 1);
    }

    // The claim was deleted by hand, and another worker has made a new one.
    void aZombieDoesNotBegin()
    {
        WorkerCluster fake(3);
        const JobId id = submitOnce(fake);
        ClaimedJob zombie = claimPending(fake, 1);
        fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        ClaimedJob job = claimPending(fake, 2);
        QVERIFY(!fake.run(startAttempt(jobs::Cluster(fake[1], fake.layout), zombie)));
        QVERIFY(claimOf(fake, id).pending);
        QVERIFY(fake.run(startAttempt(jobs::Cluster(fake[2], fake.layout), job)));
    }
};

QTEST_GUILESS_MAIN(StartAttemptTest)
#include "start_attempt_test.moc"
