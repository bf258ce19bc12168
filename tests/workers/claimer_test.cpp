#include "jobs/cancel.h"
#include "jobs/move.h"
#include "workers/worker_party.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using workers::ClaimedJob;
using workers::Claims;
using namespace std::chrono_literals;

class ClaimerTest : public QObject
{
    Q_OBJECT

    static std::vector<qint32> numbers(const std::vector<ClaimedJob> &jobs)
    {
        std::vector<qint32> numbers;
        for (const ClaimedJob &job : jobs)
            numbers.push_back(job.id.number);
        return numbers;
    }

    static FaultPlan script(quint64 operation, Fault fault)
    {
        FaultPlan plan;
        plan.behind = 1; // the next server
        plan.longestLag = 20s;
        plan.scripted[operation] = fault;
        return plan;
    }

private Q_SLOTS:
    void aClaimTakesTwoRoundTrips()
    {
        WorkerParty party(2, {.latency = 5ms});
        for (int i = 0; i < 10; ++i)
            party.submit();
        const async::TimePoint before = party.world.now();
        const Claims claims = party.claimReady(1);
        QCOMPARE(party.world.now() - before, async::Duration(20ms));
        QCOMPARE(claims.jobs.size(), 10u);
        for (const ClaimedJob &job : claims.jobs) {
            QVERIFY(party.isClaimedBy(job.id, 1));
            QCOMPARE(job.attempt, 1);
            QCOMPARE(party.node(party.pathOf(job.id)).stat.version, 1);
            QCOMPARE(job.token, party.node(party.layout.claim(job.id)).stat.czxid);
        }
        const Claim claim = Claim::decode(party.node(party.layout.claim(claims.jobs[3].id)).data);
        QCOMPARE(claim.worker, QStringLiteral("w1"));
        QCOMPARE(claim.entry, claims.jobs[3].entry.name());
    }

    void whatOthersHaveTakenIsLeftToThem()
    {
        WorkerParty party(3);
        for (int i = 0; i < 5; ++i)
            party.submit();
        const std::vector<QueueEntry> all = party.ready();
        party.claim({"default", 1}, 2); // its claim is in the way
        party.end({"default", 3}, FinalRecord::of({"default", 3}, JobParty::spec())); // it is gone
        workers::Claimer claimer(party[1], party.layout, QStringLiteral("w1"));
        const Claims claims = party.run(claimer.claim("default", all));
        QCOMPARE(numbers(claims.jobs), (std::vector<qint32>{0, 2, 4}));
        QVERIFY(claims.hopeless.empty());
        QVERIFY(party.isClaimedBy({"default", 1}, 2));
    }

    void aLostReplyLosesNoClaim_data()
    {
        QTest::addColumn<int>("fault");
        QTest::addColumn<int>("claimed");
        QTest::newRow("reply") << int(Fault::LoseReply) << 3;
        QTest::newRow("request") << int(Fault::LoseRequest) << 0;
    }
    void aLostReplyLosesNoClaim()
    {
        QFETCH(int, fault);
        QFETCH(int, claimed);
        FaultInjector faults(script(4, static_cast<Fault>(fault))); // three reads, then the transaction
        WorkerParty party(2, {.faults = &faults});
        for (int i = 0; i < 3; ++i)
            party.submit();
        const Claims claims = party.claimReady(1);
        QCOMPARE(faults.log().count(static_cast<Fault>(fault)), 1u);
        QCOMPARE(static_cast<int>(claims.jobs.size()), claimed);
        QCOMPARE(static_cast<int>(party.childrenOf(party.layout.claims()).size()), claimed);
        for (const ClaimedJob &job : claims.jobs)
            QCOMPARE(job.token, party.node(party.layout.claim(job.id)).stat.czxid);
    }

    // The cancel changes the job's version between the claim and the look at it.
    void aClaimThatIsCancelledMeanwhileIsStillOurs()
    {
        FaultInjector faults(script(2, Fault::LoseReply));
        WorkerParty party(2, {.faults = &faults});
        const JobId id = party.submit();
        async::TaskGroup cancelling;
        const auto run = [](zk::Coordinator &zk, Layout layout, JobId job) -> async::Task<void> {
            co_await cancel(zk, layout, job);
        };
        party.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            if (commit.session == party[1].sessionId() && commit.kind == FakeZooKeeper::Commit::Kind::Write)
                party.process(0).post([&] { cancelling.spawn(run(party[0], party.layout, id)); });
        });
        const Claims claims = party.claimReady(1);
        QCOMPARE(party.node(party.pathOf(id)).stat.version, 2);
        QCOMPARE(claims.jobs.size(), 1u);
        QCOMPARE(claims.jobs[0].attempt, 1);
    }

    // While it can still be moved: a retry or a promotion that is too large for a request would stop its worker, or the
    // master.
    void aJobThatIsGivenBackForEverEnds()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        for (qint32 version = 0; version < workers::Claimer::MostClaims; version += 500) {
            zk::Transaction claims;
            for (int i = 0; i < 500; ++i)
                claims.set(party.pathOf(id), party.node(party.pathOf(id)).data);
            party.commit(claims);
        }
        QVERIFY(party.claimReady(1).jobs.empty());
        const FinalRecord record = party.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::GaveUp);
        QVERIFY2(record.reason.contains(u"7000 times"), qPrintable(record.reason));

        const QByteArray longest(32, 'x');
        const qint32 version = workers::Claimer::MostClaims + 2; // claimed last, begun, cancelled
        zk::Transaction moved;
        move(moved, Layout(longest), longest, {QueueEntry::Class::Ready, 5, 0}, {QueueEntry::Class::Waiting, 5, 0},
             version, QByteArray(JobSpec::MaxSize + 1024, 'x'));
        moved.remove(Layout(longest).claim({longest, 0}));
        QCOMPARE_LE(zk::sizeOf(zk::MultiRequest{moved}), zk::MaxRequestSize);
    }

    void aJobThatLosesItsWorkersEnds()
    {
        WorkerParty party(1);
        JobSpec spec = JobParty::spec();
        spec.maxAttempts = 2;
        Submitter submitter(party[0], party.layout, {});
        const JobId id = party.run(submitter.submit(spec));
        for (int attempt = 1; attempt <= 2; ++attempt) {
            party.add();
            QCOMPARE(party.claimReady(attempt).jobs.size(), 1u);
            party.server.expire(party[attempt].sessionId());
            party.settle();
        }
        party.add();
        QVERIFY(party.claimReady(3).jobs.empty());
        QVERIFY(!party.exists(party.pathOf(id)));
        const FinalRecord record = party.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::GaveUp);
        QCOMPARE(record.attempt, 2);
        QVERIFY2(record.reason.startsWith(u'2'), qPrintable(record.reason));
    }

    // Whoever has listed the job before it was claimed for the last time finds its attempts used up.
    void theLastAttemptIsNotGivenUpWhileItIsUnderWay()
    {
        WorkerParty party(2);
        JobSpec spec = JobParty::spec();
        spec.maxAttempts = 1;
        const JobId id = party.submit(spec);
        QCOMPARE(party.claimReady(0).jobs.size(), 1u);
        const Claims claims = party.claimReady(1);
        QVERIFY(claims.jobs.empty() && claims.hopeless.empty());
        QVERIFY(party.exists(party.pathOf(id)));
        QVERIFY(party.isClaimedBy(id, 0));
        QVERIFY(!party.exists(party.layout.done(id)));
        party.run(cancel(party[1], party.layout, id));
        QVERIFY(party.claimReady(1).jobs.empty());
        QVERIFY(party.exists(party.pathOf(id))); // its worker ends it, and says how
    }

    void aClaimGivenBackUnbegunIsNoAttempt()
    {
        WorkerParty party(1);
        const JobId id = party.submit();
        JobSpec spec = JobParty::spec();
        spec.maxAttempts = 1;
        spec.returned = 3;
        for (int version = 0; version < 6; ++version)
            party.write(party.pathOf(id), spec.encode());
        QCOMPARE(party.claimReady(0).jobs.size(), 1u);
    }

    void aCancelledJobIsEndedByWhoeverClaimsIt()
    {
        WorkerParty party(2);
        const JobId id = party.submit();
        party.claim(id, 1);
        party.run(cancel(party[0], party.layout, id));
        party.server.expire(party[1].sessionId());
        party.settle();
        QVERIFY(party.claimReady(0).jobs.empty());
        const FinalRecord record = party.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::Cancelled);
        QCOMPARE(record.attempt, 1);
        QVERIFY(!party.exists(party.pathOf(id)));
    }

    void aMalformedJobEnds()
    {
        WorkerParty party;
        party.write(party.layout.queue("default") / "q5-0000000007", "nonsense");
        party.submit();
        QCOMPARE(party.claimReady(0).jobs.size(), 1u); // the other one
        QCOMPARE(party.recordOf({"default", 7}).outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(!party.exists(party.pathOf({"default", 7})));
    }

    void aFinalRecordNeverChanges()
    {
        WorkerParty party;
        const JobId id{"default", 7};
        const FinalRecord record = FinalRecord::of(id, JobParty::spec());
        party.write(party.layout.done(id), record.encode());
        party.write(party.pathOf(id), "nonsense"); // put back by hand
        const Claims claims = party.claimReady(0);
        QVERIFY(claims.jobs.empty() && claims.hopeless.empty());
        QVERIFY(!party.exists(party.pathOf(id)));
        QCOMPARE(party.node(party.layout.done(id)).data, record.encode());
    }

    void whatCannotBeRemovedIsHopeless()
    {
        WorkerParty party;
        const JobId id{"default", 7};
        party.write(party.pathOf(id), "nonsense");
        party.write(party.pathOf(id) / "child", {});
        const Claims claims = party.claimReady(0);
        QVERIFY(claims.jobs.empty());
        QCOMPARE(claims.hopeless.size(), 1u);
        QCOMPARE(claims.hopeless[0].number, 7);
    }

    void endingAJobOutlivesALostReply()
    {
        FaultInjector faults(script(2, Fault::LoseReply));
        WorkerParty party(2, {.faults = &faults});
        party.write(party.layout.queue("default") / "q5-0000000007", "nonsense");
        const Claims claims = party.claimReady(1);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        QVERIFY(claims.jobs.empty() && claims.hopeless.empty());
        QCOMPARE(party.childrenOf(party.layout.done()), QByteArrayList{"default-7"});
    }

    // Sixteen specs of 60 KiB are more than a server takes in one transaction.
    void aBatchThatIsTooLargeIsClaimedInPart()
    {
        WorkerParty party;
        JobSpec spec = JobParty::spec();
        spec.command.append(QString(60 * 1024, u'x'));
        Submitter submitter(party[0], party.layout, {});
        for (int i = 0; i < 16; ++i)
            party.run(submitter.submit(spec));
        const Claims first = party.claimReady(0);
        QVERIFY(!first.jobs.empty() && first.jobs.size() < 16);
        QVERIFY(first.hopeless.empty());
        std::size_t claimed = first.jobs.size();
        while (claimed < 16) {
            std::vector<QueueEntry> left = party.ready();
            left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(claimed));
            workers::Claimer claimer(party[0], party.layout, QStringLiteral("w0"));
            const Claims next = party.run(claimer.claim("default", left));
            QVERIFY(!next.jobs.empty());
            claimed += next.jobs.size();
        }
        QCOMPARE(party.childrenOf(party.layout.claims()).size(), 16);
    }
};

QTEST_GUILESS_MAIN(ClaimerTest)
#include "claimer_test.moc"
