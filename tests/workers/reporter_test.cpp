#include "jobs/cancel.h"
#include "jobs/move.h"
#include "workers/holding.h"
#include "workers/reporting.h"

#include <QLoggingCategory>
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
    record.attempt = job.attempt;
    return record;
}

FinalRecord cancelled(const ClaimedJob &job)
{
    return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::Cancelled, QStringLiteral("early"),
                                   job.attempt, 0ms);
}

} // namespace

class ReporterTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void whatAJobHoldsIsReleasedOnceItsEndIsAnswered()
    {
        WorkerParty party(2, {.latency = 5ms});
        ClaimedJob job = party.claimOne(1);
        job.held = std::make_shared<workers::Holding>(workers::Holding{recipes::MultiHold({}), {}});
        const std::weak_ptr<const workers::Holding> held = job.held;
        Reporting reporting(party, 1);
        reporting.reporter.finish(job, cancelled(job));
        job.held.reset();
        party.settle(9ms);
        QVERIFY(!held.expired());
        reporting.flush();
        QVERIFY(party.exists(party.layout.done(job.id)));
        QVERIFY(held.expired());
    }

    void whileMoreIsExpectedReportsShareATransaction()
    {
        WorkerParty party(2);
        std::vector<ClaimedJob> jobs;
        for (int i = 0; i < 5; ++i)
            jobs.push_back(party.claimOne(1));
        Reporting reporting(party, 1);
        reporting.reporter.expectMore(true);
        const quint64 before = party.requests();
        for (const ClaimedJob &job : jobs) {
            reporting.reporter.finish(job, success(job));
            party.settle(500us);
        }
        QCOMPARE(party.requests() - before, 0u);
        reporting.flush();
        QCOMPARE(party.requests() - before, 1u);
    }

    void whenNoMoreIsExpectedReportsGoAtOnce()
    {
        WorkerParty party(2);
        const ClaimedJob first = party.claimOne(1);
        const ClaimedJob second = party.claimOne(1);
        Reporting reporting(party, 1);
        const quint64 before = party.requests();
        reporting.reporter.finish(first, success(first));
        QCOMPARE(party.requests() - before, 1u);
        reporting.flush();
        reporting.reporter.expectMore(true);
        reporting.reporter.finish(second, success(second));
        QCOMPARE(party.requests() - before, 1u);
        reporting.reporter.expectMore(false);
        QCOMPARE(party.requests() - before, 2u);
        reporting.flush();
    }

    // At its new place the job goes on counting its claims, so that the first attempt's report stays void.
    void whatIsToBeTriedAgainWaitsAndKeepsItsVersion()
    {
        WorkerParty party(3);
        const ClaimedJob job = party.claimOne(1);
        Reporting reporting(party, 1);
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        const QByteArrayList names = party.childrenOf(party.layout.queue("default"));
        QCOMPARE(names, QByteArrayList{"w5-0000000000"});
        const auto &node = party.node(party.layout.queue("default") / names.front());
        QCOMPARE(node.stat.version, 1);
        const JobSpec spec = JobSpec::decode(node.data, "default", 5);
        QCOMPARE(spec.failed, 1);
        QCOMPARE(spec.notBefore, 5000ms);
        QVERIFY(!party.exists(party.layout.claim(job.id)));

        const QueueEntry waiting = *QueueEntry::parse(names.front());
        zk::Transaction promotion;
        move(promotion, party.layout, "default", waiting, job.entry, 1, JobSpec::markReady(node.data));
        party.commit(promotion);
        const workers::Claims again = party.claimReady(2);
        QCOMPARE(again.jobs.size(), 1u);
        QCOMPARE(again.jobs.front().attempt, 2);
        reporting.reporter.finish(job, success(job));
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 1);
        QVERIFY(party.isClaimedBy(job.id, 2));
        QVERIFY(!party.exists(party.layout.done(job.id)));
    }

    void aCancelOfWhatIsToBeTriedAgainEndsIt()
    {
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        QCOMPARE(party.run(cancel(party[0], party.layout, job.id)), CancelResult::Asked);
        Reporting reporting(party, 1);
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        QCOMPARE(party.recordOf(job.id).outcome, FinalRecord::Outcome::Cancelled);
        QVERIFY(party.childrenOf(party.layout.queue("default")).isEmpty());
    }

    void whatIsReportedTogetherSharesTransactions()
    {
        WorkerParty party(2);
        for (int i = 0; i < 10; ++i)
            party.submit();
        const workers::Claims claims = party.claimReady(1);
        Reporting reporting(party, 1);
        const quint64 before = party[1].counters().requests;
        for (const ClaimedJob &job : claims.jobs)
            reporting.reporter.finish(job, success(job));
        reporting.flush();
        QCOMPARE(party[1].counters().requests - before, 2u); // the first alone, the others meanwhile
        QVERIFY(party.ready().empty());
        QVERIFY(party.childrenOf(party.layout.claims()).isEmpty());
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 10);
        QCOMPARE(reporting.reporter.rejected(), 0);
    }

    // Reports of two and of three operations share a transaction; whichever is refused, the others are carried out.
    void oneThatIsRefusedTakesNoOtherAlong_data()
    {
        QTest::addColumn<int>("refused");
        for (int i = 1; i < 7; ++i)
            QTest::addRow("%d", i) << i;
    }
    void oneThatIsRefusedTakesNoOtherAlong()
    {
        QFETCH(int, refused);
        WorkerParty party(2);
        for (int i = 0; i < 7; ++i)
            party.submit();
        const workers::Claims claims = party.claimReady(1);
        party.write(party.pathOf({"default", refused}), JobParty::spec().encode()); // somebody has touched it
        Reporting reporting(party, 1);
        for (const ClaimedJob &job : claims.jobs) {
            if (job.id.number % 3 == 0)
                reporting.reporter.finish(job, success(job));
            else if (job.id.number % 3 == 1)
                reporting.reporter.giveBack(job);
            else
                reporting.reporter.giveBackUnbegun(job);
        }
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 1);
        QVERIFY2(party.childrenOf(party.layout.claims()).isEmpty(), "a claim of ours was left behind");
        for (int number = 0; number < 7; ++number) {
            const JobId id{"default", number};
            QCOMPARE(party.exists(party.layout.done(id)), number % 3 == 0 && number != refused);
            QCOMPARE(party.exists(party.pathOf(id)), number % 3 != 0 || number == refused);
        }
    }

    void aZombiesResultIsVoid()
    {
        WorkerParty party(3);
        const ClaimedJob zombie = party.claimOne(1);
        party.commit(zk::Transaction().remove(party.layout.claim(zombie.id)));
        const workers::Claims successor = party.claimReady(2);
        QCOMPARE(successor.jobs.size(), 1u);
        Reporting late(party, 1);
        late.reporter.finish(zombie, success(zombie));
        late.flush();
        QCOMPARE(late.reporter.rejected(), 1);
        QVERIFY(party.isClaimedBy(zombie.id, 2)); // not the zombie's to remove
        Reporting current(party, 2);
        current.reporter.finish(successor.jobs[0], success(successor.jobs[0]));
        current.flush();
        QCOMPARE(current.reporter.rejected(), 0);
        QCOMPARE(party.recordOf(zombie.id).attempt, 2);
    }

    // Nobody has claimed it since: the result is that of the current attempt, whoever tells it.
    void anEndCanBeToldByAnotherSession_data()
    {
        QTest::addColumn<bool>("claimStands");
        QTest::addColumn<bool>("again");
        QTest::newRow("end, its session has ended") << false << false;
        QTest::newRow("end, its session has not ended yet") << true << false;
        QTest::newRow("retry, its session has ended") << false << true;
        QTest::newRow("retry, its session has not ended yet") << true << true;
    }
    void anEndCanBeToldByAnotherSession()
    {
        QFETCH(bool, claimStands);
        QFETCH(bool, again);
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        if (!claimStands)
            party.commit(zk::Transaction().remove(party.layout.claim(job.id)));
        Reporting reporting(party, 0);
        int answered = 0;
        const auto count = [&answered] { ++answered; };
        for (int i = 0; i < 2; ++i) { // the second time the cluster knows it
            if (again)
                reporting.reporter.retry(job, 5000ms, 1, cancelled(job), count);
            else
                reporting.reporter.finish(job, success(job), count);
            reporting.flush();
        }
        QCOMPARE(answered, 2);
        QVERIFY(!party.exists(party.layout.claim(job.id)));
        QCOMPARE(party.exists(party.layout.done(job.id)), !again);
        const QByteArrayList left = party.childrenOf(party.layout.queue("default"));
        QCOMPARE(left, again ? QByteArrayList{"w5-0000000000"} : QByteArrayList());
        if (again)
            QCOMPARE(
                JobSpec::decode(party.node(party.layout.queue("default") / left.front()).data, "default", 5).failed, 1);
    }

    // Somebody has deleted the node that tells the master: that is not the job's fault.
    void aRetryMakesTheNodeThatTellsTheMaster_data()
    {
        QTest::addColumn<bool>("claimStands");
        QTest::newRow("its own") << true;
        QTest::newRow("of an earlier session") << false;
    }
    void aRetryMakesTheNodeThatTellsTheMaster()
    {
        QFETCH(bool, claimStands);
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        Reporting reporting(party, 1);
        party.commit(zk::Transaction().remove(party.layout.waiting("default")));
        if (!claimStands)
            party.commit(zk::Transaction().remove(party.layout.claim(job.id)));
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        const QByteArrayList left = party.childrenOf(party.layout.queue("default"));
        QCOMPARE(left, QByteArrayList{"w5-0000000000"});
        QCOMPARE(JobSpec::decode(party.node(party.layout.queue("default") / left.front()).data, "default", 5).failed,
                 1);
        QVERIFY(party.exists(party.layout.waiting("default")));
        QVERIFY(!party.exists(party.layout.claim(job.id)));
    }

    // Also if it is where it was: its version is the same, but that claim's end has been told.
    void aRetryIsNotToldTwice()
    {
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        Reporting reporting(party, 0);
        reporting.reporter.retry(job, 5000ms, 1, cancelled(job));
        reporting.flush();
        const QByteArray name = party.childrenOf(party.layout.queue("default")).front();
        const auto &node = party.node(party.layout.queue("default") / name);
        zk::Transaction promotion;
        move(promotion, party.layout, "default", *QueueEntry::parse(name), job.entry, 1, JobSpec::markReady(node.data));
        party.commit(promotion);
        reporting.reporter.retry(job, 9000ms, 1, cancelled(job));
        reporting.flush();
        QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList{job.entry.name()});
        QCOMPARE(JobSpec::decode(party.node(party.pathOf(job.id)).data, "default", 5).failed, 1);
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
        WorkerParty party(2, {.faults = &faults});
        const ClaimedJob job = party.claimOne(1);
        Reporting reporting(party, 1);
        if (kind == 0)
            reporting.reporter.finish(job, success(job));
        else if (kind == 1)
            reporting.reporter.giveBack(job);
        else
            reporting.reporter.giveBackUnbegun(job);
        reporting.flush();
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        QCOMPARE(reporting.reporter.rejected(), 0);
        QVERIFY(!party.exists(party.layout.claim(job.id)));
        QCOMPARE(party.exists(party.layout.done(job.id)), kind == 0);
        if (kind == 2)
            QCOMPARE(JobSpec::decode(party.node(party.pathOf(job.id)).data, "default", 5).returned, 1);
    }

    void theResultOfAJobThatIsBeingCancelledCounts()
    {
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        party.run(cancel(party[0], party.layout, job.id));
        Reporting reporting(party, 1);
        FinalRecord killed = success(job);
        killed.outcome = FinalRecord::Outcome::Cancelled;
        reporting.reporter.finish(job, killed);
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 0);
        QCOMPARE(party.recordOf(job.id).state(), JobState::Cancelled);
        QVERIFY(party.ready().empty());
        QVERIFY(!party.exists(party.layout.claim(job.id)));
    }

    void somebodyElsesFinalRecordStays()
    {
        WorkerParty party(2);
        const ClaimedJob job = party.claimOne(1);
        FinalRecord other = success(job);
        other.code = 9;
        party.write(party.layout.done(job.id), other.encode()); // by hand: the job itself is still there
        Reporting reporting(party, 1);
        reporting.reporter.finish(job, success(job));
        reporting.flush();
        QCOMPARE(reporting.reporter.rejected(), 1);
        QCOMPARE(party.recordOf(job.id).code, 9);
        QVERIFY(party.ready().empty()); // or it would run for ever
        QVERIFY(!party.exists(party.layout.claim(job.id)));
    }
};

QTEST_GUILESS_MAIN(ReporterTest)
#include "reporter_test.moc"
