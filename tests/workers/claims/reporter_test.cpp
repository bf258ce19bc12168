#include "jobs/client/cancel_job.h"
#include "jobs/client/reposition.h"
#include "support/fake/fake_acl.h"
#include "workers/claims/job_locks.h"
#include "workers/claims/reporting.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using workers::ClaimedJob;

namespace {

FinalRecord success(const ClaimedJob &job)
{
    FinalRecord record = FinalRecord::of(job.id, job.spec);
    record.attempts.claimVersion = job.attempts.claimVersion;
    return record;
}

FinalRecord cancelled(const ClaimedJob &job)
{
    return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::Cancelled, QStringLiteral("early"),
                                   job.attempts.claimVersion, 0ms);
}

async::Task<void> onlyReadable(zk::Client &zk, zk::Path path)
{
    const zk::AclList acl{{1, "world", "anyone"}};
    const zk::Answer<zk::Nothing> set = co_await zk.setAcl(path, acl);
    set.require();
}

} // namespace

class ReporterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aJobsLocksAreReleasedOnceItsEndIsAnswered()
    {
        WorkerCluster fake(2, {.latency = 5ms});
        ClaimedJob job = fake.claimOne(1);
        job.held = std::make_shared<workers::JobLocks>(workers::JobLocks{recipes::MultiHold({}), {}});
        const std::weak_ptr<const workers::JobLocks> held = job.held;
        Reporting reporting(fake, 1);
        reporting.reporter.finish(job, cancelled(job));
        job.held.reset();
        fake.settle(9ms);
        QVERIFY(!held.expired());
        reporting.flush();
        QVERIFY(fake.exists(fake.layout.done(job.id)));
        QVERIFY(held.expired());
    }

    void whileMoreIsExpectedReportsShareATransaction()
    {
        WorkerCluster fake(2);
        std::vector<ClaimedJob> jobs;
        for (int i = 0; i < 5; ++i)
            jobs.push_back(fake.claimOne(1));
        Reporting reporting(fake, 1);
        reporting.reporter.expectMore(true);
        const quint64 before = fake.requests();
        for (const ClaimedJob &job : jobs) {
            reporting.reporter.finish(job, success(job));
            fake.settle(500us);
        }
        QCOMPARE(fake.requests() - before, 0u);
        reporting.flush();
        QCOMPARE(fake.requests() - before, 1u);
    }

    void whenNoMoreIsExpectedReportsGoAtOnce()
    {
        WorkerCluster fake(2);
        const ClaimedJob first = fake.claimOne(1);
        const ClaimedJob second = fake.claimOne(1);
        Reporting reporting(fake, 1);
        const quint64 before = fake.requests();
        reporting.reporter.finish(first, success(first));
        QCOMPARE(fake.requests() - before, 1u);
        reporting.flush();
        reporting.reporter.expectMore(true);
        reporting.reporter.finish(second, success(second));
        QCOMPARE(fake.requests() - before, 1u);
        reporting.reporter.expectMore(false);
        QCOMPARE(fake.requests() - before, 2u);
        reporting.flush();
    }

    // At its new place the job goes on counting its claims, so that the first attempt's report stays void.
    void aJobThatIsRetriedWaitsAndKeepsItsVersion()
    {
        WorkerCluster fake(3);
        const ClaimedJob job = fake.claimOne(1);
        Reporting reporting(fake, 1);
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        const QByteArrayList names = fake.childrenOf(fake.layout.queue("default"));
        QCOMPARE(names, QByteArrayList{"w5-0000000000"});
        const auto &node = fake.node(fake.layout.queue("default") / names.front());
        QCOMPARE(node.stat.version, 1);
        const JobSpec spec = JobSpec::decode(node.data, "default", 5);
        QCOMPARE(spec.notes.failed, 1);
        QCOMPARE(spec.notes.notBefore, 5000ms);
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));

        const QueueEntry waiting = *QueueEntry::parse(names.front());
        zk::Transaction promotion;
        reposition(promotion, fake.layout, "default", waiting, job.entry, 1, JobSpec::markReady(node.data));
        fake.commit(promotion);
        const workers::Claims again = fake.claimReady(2);
        QCOMPARE(again.jobs.size(), 1u);
        QCOMPARE(again.jobs.front().attempts.claimVersion, 2);
        reporting.reporter.finish(job, success(job));
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 1);
        QVERIFY(fake.isClaimedBy(job.id, 2));
        QVERIFY(!fake.exists(fake.layout.done(job.id)));
    }

    void aCancelEndsAJobThatWaitsForARetry()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), job.id)), CancelResult::Asked);
        Reporting reporting(fake, 1);
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        QCOMPARE(fake.recordOf(job.id).outcome, FinalRecord::Outcome::Cancelled);
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
    }

    void reportsAtTheSameTimeShareTransactions()
    {
        WorkerCluster fake(2);
        for (int i = 0; i < 10; ++i)
            fake.submit();
        const workers::Claims claims = fake.claimReady(1);
        Reporting reporting(fake, 1);
        const quint64 before = fake[1].counters().requests;
        for (const ClaimedJob &job : claims.jobs)
            reporting.reporter.finish(job, success(job));
        reporting.flush();
        QCOMPARE(fake[1].counters().requests - before, 2u); // the first alone, the others meanwhile
        QVERIFY(fake.ready().empty());
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 10);
        QCOMPARE(reporting.reporter.rejected(), 0);
    }

    // Reports of two and of three operations share a transaction; whichever is refused, the others are carried out.
    void aRefusedReportFailsNoOther_data()
    {
        QTest::addColumn<int>("refused");
        for (int i = 1; i < 7; ++i)
            QTest::addRow("%d", i) << i;
    }
    void aRefusedReportFailsNoOther()
    {
        QFETCH(int, refused);
        WorkerCluster fake(2);
        for (int i = 0; i < 7; ++i)
            fake.submit();
        const workers::Claims claims = fake.claimReady(1);
        fake.write(fake.pathOf({"default", refused}), JobCluster::spec().encode()); // another client has changed it
        Reporting reporting(fake, 1);
        for (const ClaimedJob &job : claims.jobs) {
            if (job.id.number % 3 == 0)
                reporting.reporter.finish(job, success(job));
            else if (job.id.number % 3 == 1)
                reporting.reporter.giveBack(job);
            else
                reporting.reporter.giveBackUnstarted(job);
        }
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 1);
        QVERIFY2(fake.childrenOf(fake.layout.claims()).isEmpty(), "a claim of ours was left behind");
        for (int number = 0; number < 7; ++number) {
            const JobId id{"default", number};
            QCOMPARE(fake.exists(fake.layout.done(id)), number % 3 == 0 && number != refused);
            QCOMPARE(fake.exists(fake.pathOf(id)), number % 3 != 0 || number == refused);
        }
    }

    // An administrator has changed what the worker may do, or there is too much to say.
    void anUnacceptableReportFailsNoOther_data()
    {
        QTest::addColumn<bool>("denied");
        QTest::newRow("not allowed") << true;
        QTest::newRow("too large") << false;
    }
    void anUnacceptableReportFailsNoOther()
    {
        QFETCH(bool, denied);
        WorkerCluster fake(2);
        for (int i = 0; i < 4; ++i)
            fake.submit();
        const workers::Claims claims = fake.claimReady(1);
        constexpr int Refused = 2;
        if (denied)
            fake.run(onlyReadable(fake[0], fake.pathOf({"default", Refused})));
        Reporting reporting(fake, 1);
        int answered = 0;
        for (ClaimedJob job : claims.jobs) {
            if (job.id.number != Refused) {
                reporting.reporter.finish(job, success(job), [&answered](bool isStored) { answered += isStored; });
            } else if (denied) {
                reporting.reporter.giveBackUnstarted(job);
            } else {
                job.attempts.claimVersion = 20'000; // a move has an operation for each
                reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
            }
        }
        reporting.flush();
        QCOMPARE(answered, 3);
        QCOMPARE(reporting.reporter.rejected(), 1);
        QVERIFY2(fake.childrenOf(fake.layout.claims()).isEmpty(), "the job could not be claimed again");
        for (int number = 0; number < 4; ++number)
            QCOMPARE(fake.exists(fake.layout.done({"default", number})), number != Refused);
    }

    // Its worker goes on, so the claim does not go with the session.
    void aClaimThatMayNotBeDeletedGoesLater()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        Reporting reporting(fake, 1);
        fake.setRights(fake.layout.claims(), zk::AllPermissions - static_cast<qint32>(Permission::Delete));
        reporting.reporter.finish(job, success(job));
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 1);
        fake.settle(5min);
        QVERIFY(fake.isClaimedBy(job.id, 1));
        fake.setRights(fake.layout.claims(), zk::AllPermissions);
        fake.settle(2min);
        QCOMPARE(fake.claimReady(1).jobs.size(), 1u);
    }

    void aZombiesResultIsVoid()
    {
        WorkerCluster fake(3);
        const ClaimedJob zombie = fake.claimOne(1);
        fake.commit(zk::Transaction().remove(fake.layout.claim(zombie.id)));
        const workers::Claims successor = fake.claimReady(2);
        QCOMPARE(successor.jobs.size(), 1u);
        Reporting late(fake, 1);
        QList<bool> answers;
        late.reporter.finish(zombie, success(zombie), [&answers](bool isStored) { answers.append(isStored); });
        late.flush();
        QVERIFY(late.reporter.rejected() == 1 && answers == QList<bool>{false});
        QVERIFY(fake.isClaimedBy(zombie.id, 2)); // not the zombie's to remove
        Reporting current(fake, 2);
        current.reporter.finish(successor.jobs[0], success(successor.jobs[0]));
        current.flush();
        QCOMPARE(current.reporter.rejected(), 0);
        QCOMPARE(fake.recordOf(zombie.id).attempts.claimVersion, 2);
    }

    // No worker has claimed the job since, so the result is that of the current attempt, whatever session reports it.
    void anEndCanBeReportedByAnotherSession_data()
    {
        QTest::addColumn<bool>("claimStands");
        QTest::addColumn<bool>("again");
        QTest::newRow("end, its session has ended") << false << false;
        QTest::newRow("end, its session has not ended yet") << true << false;
        QTest::newRow("retry, its session has ended") << false << true;
        QTest::newRow("retry, its session has not ended yet") << true << true;
    }
    void anEndCanBeReportedByAnotherSession()
    {
        QFETCH(bool, claimStands);
        QFETCH(bool, again);
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        if (!claimStands)
            fake.commit(zk::Transaction().remove(fake.layout.claim(job.id)));
        Reporting reporting(fake, 0);
        int answered = 0;
        const auto count = [&](bool isStored) { answered += isStored == again ? 0 : 1; };
        for (int i = 0; i < 2; ++i) { // the second time the cluster knows it
            if (again)
                reporting.reporter.retry(job, 5000ms, 1, cancelled(job), count);
            else
                reporting.reporter.finish(job, success(job), count);
            reporting.flush();
        }
        QCOMPARE(answered, 2);
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
        QCOMPARE(fake.exists(fake.layout.done(job.id)), !again);
        const QByteArrayList left = fake.childrenOf(fake.layout.queue("default"));
        QCOMPARE(left, again ? QByteArrayList{"w5-0000000000"} : QByteArrayList());
        if (again)
            QCOMPARE(
                JobSpec::decode(fake.node(fake.layout.queue("default") / left.front()).data, "default", 5).notes.failed,
                1);
    }

    // The node that notifies the master was deleted by hand. The job must not fail because of that.
    void aRetryCreatesTheNodeThatNotifiesTheMaster_data()
    {
        QTest::addColumn<bool>("claimStands");
        QTest::addColumn<bool>("isKnown");
        QTest::newRow("its own") << true << false;
        QTest::newRow("of an earlier session") << false << false;
        QTest::newRow("of an earlier session, as the report knows") << false << true;
    }
    void aRetryCreatesTheNodeThatNotifiesTheMaster()
    {
        QFETCH(bool, claimStands);
        QFETCH(bool, isKnown);
        WorkerCluster fake(2);
        ClaimedJob job = fake.claimOne(1);
        job.claimHasGone = isKnown;
        Reporting reporting(fake, 1);
        fake.commit(zk::Transaction().remove(fake.layout.waiting("default")));
        if (!claimStands)
            fake.commit(zk::Transaction().remove(fake.layout.claim(job.id)));
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        const QByteArrayList left = fake.childrenOf(fake.layout.queue("default"));
        QCOMPARE(left, QByteArrayList{"w5-0000000000"});
        QCOMPARE(
            JobSpec::decode(fake.node(fake.layout.queue("default") / left.front()).data, "default", 5).notes.failed, 1);
        QVERIFY(fake.exists(fake.layout.waiting("default")));
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
    }

    // Also if it is where it was: its version is the same, but that claim's end was reported.
    void aRetryIsNotReportedTwice()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        Reporting reporting(fake, 0);
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        const QByteArray name = fake.childrenOf(fake.layout.queue("default")).front();
        const auto &node = fake.node(fake.layout.queue("default") / name);
        zk::Transaction promotion;
        reposition(promotion, fake.layout, "default", *QueueEntry::parse(name), job.entry, 1,
                   JobSpec::markReady(node.data));
        fake.commit(promotion);
        reporting.reporter.retry(job, 9000ms, 1, cancelled(job));
        reporting.flush();
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList{job.entry.name()});
        QCOMPARE(JobSpec::decode(fake.node(fake.pathOf(job.id)).data, "default", 5).notes.failed, 1);
    }

    void aLostReplyIsNoRefusal_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("finish") << 0;
        QTest::newRow("give back") << 1;
        QTest::newRow("give back unbegun") << 2;
    }
    void aLostReplyIsNoRefusal()
    {
        QFETCH(int, kind);
        FaultPlan plan;
        plan.scripted[3] = Fault::LoseReply; // a read, the claim, the report
        FaultInjector faults(plan);
        WorkerCluster fake(2, {.faults = &faults});
        const ClaimedJob job = fake.claimOne(1);
        Reporting reporting(fake, 1);
        if (kind == 0)
            reporting.reporter.finish(job, success(job));
        else if (kind == 1)
            reporting.reporter.giveBack(job);
        else
            reporting.reporter.giveBackUnstarted(job);
        reporting.flush();
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        QCOMPARE(reporting.reporter.rejected(), 0);
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
        QCOMPARE(fake.exists(fake.layout.done(job.id)), kind == 0);
        if (kind == 2)
            QCOMPARE(JobSpec::decode(fake.node(fake.pathOf(job.id)).data, "default", 5).notes.returned, 1);
    }

    void theResultOfAJobThatIsBeingCancelledCounts()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        fake.run(cancel(Cluster(fake[0], fake.layout), job.id));
        Reporting reporting(fake, 1);
        FinalRecord killed = success(job);
        killed.outcome = FinalRecord::Outcome::Cancelled;
        reporting.reporter.finish(job, killed);
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        QCOMPARE(fake.recordOf(job.id).state(), JobState::Cancelled);
        QVERIFY(fake.ready().empty());
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
    }

    void anotherJobsFinalRecordStays()
    {
        WorkerCluster fake(2);
        const ClaimedJob job = fake.claimOne(1);
        FinalRecord other = success(job);
        other.code = 9;
        fake.write(fake.layout.done(job.id), other.encode()); // by hand: the job itself is still there
        Reporting reporting(fake, 1);
        reporting.reporter.finish(job, success(job));
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 1);
        QCOMPARE(fake.recordOf(job.id).code, 9);
        QVERIFY(fake.ready().empty()); // or it would run for ever
        QVERIFY(!fake.exists(fake.layout.claim(job.id)));
    }
};

QTEST_GUILESS_MAIN(ReporterTest)
#include "reporter_test.moc"
