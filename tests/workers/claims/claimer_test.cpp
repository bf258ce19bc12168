#include "jobs/client/cancel_job.h"
#include "jobs/client/reposition.h"
#include "workers/worker_cluster.h"

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
        WorkerCluster fake(2, {.latency = 5ms});
        for (int i = 0; i < 10; ++i)
            fake.submit();
        const async::TimePoint before = fake.world.now();
        const Claims claims = fake.claimReady(1);
        QCOMPARE(fake.world.now() - before, async::Duration(20ms));
        QCOMPARE(claims.jobs.size(), 10u);
        for (const ClaimedJob &job : claims.jobs) {
            QVERIFY(fake.isClaimedBy(job.id, 1));
            QCOMPARE(job.attempts.claimVersion, 1);
            QCOMPARE(fake.node(fake.pathOf(job.id)).stat.version, 1);
            QCOMPARE(job.claimZxid, fake.node(fake.layout.claim(job.id)).stat.czxid);
        }
        const Claim claim = Claim::decode(fake.node(fake.layout.claim(claims.jobs[3].id)).data);
        QCOMPARE(claim.worker, QStringLiteral("w1"));
        QCOMPARE(claim.entry, claims.jobs[3].entry.name());
    }

    void claimsOfOtherWorkersStay()
    {
        WorkerCluster fake(3);
        for (int i = 0; i < 5; ++i)
            fake.submit();
        const std::vector<QueueEntry> all = fake.ready();
        fake.claim({"default", 1}, 2); // its claim is in the way
        fake.end({"default", 3}, FinalRecord::of({"default", 3}, JobCluster::spec())); // it is gone
        workers::Claimer claimer(jobs::Cluster(fake[1], fake.layout), QStringLiteral("w1"));
        const Claims claims = fake.run(WorkerCluster::claimAll(claimer, all));
        QCOMPARE(numbers(claims.jobs), (std::vector<qint32>{0, 2, 4}));
        QVERIFY(claims.blocked.empty());
        QVERIFY(fake.isClaimedBy({"default", 1}, 2));
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
        WorkerCluster fake(2, {.faults = &faults});
        for (int i = 0; i < 3; ++i)
            fake.submit();
        const Claims claims = fake.claimReady(1);
        QCOMPARE(faults.log().count(static_cast<Fault>(fault)), 1u);
        QCOMPARE(static_cast<int>(claims.jobs.size()), claimed);
        QCOMPARE(static_cast<int>(fake.childrenOf(fake.layout.claims()).size()), claimed);
        for (const ClaimedJob &job : claims.jobs)
            QCOMPARE(job.claimZxid, fake.node(fake.layout.claim(job.id)).stat.czxid);
    }

    // The request was lost, and another has claimed the same attempt before we look.
    void anothersClaimIsNotTakenForOurs()
    {
        FaultInjector faults(script(2, Fault::LoseRequest));
        WorkerCluster fake(2, {.latency = 5ms, .faults = &faults});
        const JobId id = fake.submit();
        const std::vector<QueueEntry> all = fake.ready();
        workers::Claimer claimer(jobs::Cluster(fake[1], fake.layout), QStringLiteral("w1"));
        std::optional<Claims> claims;
        async::TaskGroup claiming;
        const auto run = [&]() -> async::Task<void> { claims = co_await WorkerCluster::claimAll(claimer, all); };
        claiming.spawn(run());
        while (faults.log().count(Fault::LoseRequest) == 0)
            fake.settle(1ms);
        fake.claim(id, 0);
        fake.settle(1min);
        QVERIFY(claims && claims->jobs.empty());
        QVERIFY(fake.isClaimedBy(id, 0));
    }

    // Claimed and given back between the look at it and our claim, in one of these rounds.
    void aClaimIsOfTheAttemptThatItSays()
    {
        int meanwhile = 0;
        for (int after = 0; after < 6; ++after) {
            WorkerCluster fake(2, {.latency = 5ms});
            const JobId id = fake.submit();
            const std::vector<QueueEntry> all = fake.ready();
            workers::Claimer claimer(jobs::Cluster(fake[1], fake.layout), QStringLiteral("w1"));
            async::TaskGroup claiming;
            const auto run = [&]() -> async::Task<void> { co_await WorkerCluster::claimAll(claimer, all); };
            claiming.spawn(run());
            fake.settle(std::chrono::milliseconds(after * 5) + 1ms);
            if (!fake.exists(fake.layout.claim(id))) {
                fake.claim(id, 0);
                fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
                ++meanwhile;
            }
            fake.settle(1s);
            if (fake.exists(fake.layout.claim(id)))
                QCOMPARE(fake.claimOf(id).attempts.claimVersion, fake.node(fake.pathOf(id)).stat.version);
        }
        QVERIFY(meanwhile > 1);
    }

    // The cancel changes the job's version between the claim and the look at it.
    void aClaimThatIsCancelledMeanwhileIsStillOurs()
    {
        FaultInjector faults(script(2, Fault::LoseReply));
        WorkerCluster fake(2, {.faults = &faults});
        const JobId id = fake.submit();
        async::TaskGroup cancelling;
        const auto run = [](zk::Client &zk, Layout layout, JobId job) -> async::Task<void> {
            co_await cancel(Cluster(zk, layout), job);
        };
        fake.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            if (commit.session == fake[1].sessionId() && commit.kind == FakeZooKeeper::Commit::Kind::Write)
                fake.process(0).post([&] { cancelling.spawn(run(fake[0], fake.layout, id)); });
        });
        const Claims claims = fake.claimReady(1);
        QCOMPARE(fake.node(fake.pathOf(id)).stat.version, 2);
        QCOMPARE(claims.jobs.size(), 1u);
        QCOMPARE(claims.jobs[0].attempts.claimVersion, 1);
    }

    // While it can still be moved: a retry or a promotion that is too large for a request would stop its worker, or the
    // master.
    void aJobThatIsGivenBackForEverEnds()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        for (qint32 version = 0; version < workers::MostClaims; version += 500) {
            zk::Transaction claims;
            for (int i = 0; i < 500; ++i)
                claims.set(fake.pathOf(id), fake.node(fake.pathOf(id)).data);
            fake.commit(claims);
        }
        QVERIFY(fake.claimReady(1).jobs.empty());
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::GaveUp);
        QVERIFY2(record.reason.contains(u"5500 times"), qPrintable(record.reason));

        const QByteArray longest(32, 'x');
        const qint32 version = workers::MostClaims + 2; // claimed last, begun, cancelled
        zk::Transaction moved;
        reposition(moved, Layout(longest), longest, {QueueEntry::Class::Ready, 5, 0},
                   {QueueEntry::Class::Waiting, 5, 0}, version, QByteArray(JobSpec::MaxSize + 1024, 'x'));
        moved.remove(Layout(longest).claim({longest, 0}));
        zk::Request request = zk::MultiRequest{moved};
        zk::Chroot(zk::Path('/' + QByteArray(zk::Chroot::MaxBytes - 1, 'x'))).enter(request);
        QCOMPARE_LE(zk::sizeOf(request), zk::MaxRequestSize);
    }

    void aJobThatLosesItsWorkersEnds()
    {
        WorkerCluster fake(1);
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 2;
        Submitter submitter(Cluster(fake[0], fake.layout), {});
        const JobId id = fake.run(submitter.submit(spec));
        for (int attempt = 1; attempt <= 2; ++attempt) {
            fake.add();
            QCOMPARE(fake.claimReady(attempt).jobs.size(), 1u);
            fake.server.expire(fake[attempt].sessionId());
            fake.settle();
        }
        fake.add();
        QVERIFY(fake.claimReady(3).jobs.empty());
        QVERIFY(!fake.exists(fake.pathOf(id)));
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::GaveUp);
        QCOMPARE(record.attempts.claimVersion, 2);
        QVERIFY2(record.reason.startsWith(u'2'), qPrintable(record.reason));
    }

    // A worker that listed the job before its last claim finds its attempts used up.
    void theLastAttemptIsNotGivenUpWhileItIsUnderWay()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 1;
        const JobId id = fake.submit(spec);
        QCOMPARE(fake.claimReady(0).jobs.size(), 1u);
        const Claims claims = fake.claimReady(1);
        QVERIFY(claims.jobs.empty() && claims.blocked.empty());
        QVERIFY(fake.exists(fake.pathOf(id)));
        QVERIFY(fake.isClaimedBy(id, 0));
        QVERIFY(!fake.exists(fake.layout.done(id)));
        fake.run(cancel(Cluster(fake[1], fake.layout), id));
        QVERIFY(fake.claimReady(1).jobs.empty());
        QVERIFY(fake.exists(fake.pathOf(id))); // its worker ends it, and says how
    }

    void aReturnedClaimIsNoAttempt()
    {
        WorkerCluster fake(1);
        const JobId id = fake.submit();
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 1;
        spec.notes.returned = 3;
        for (int version = 0; version < 6; ++version)
            fake.write(fake.pathOf(id), spec.encode());
        QCOMPARE(fake.claimReady(0).jobs.size(), 1u);
    }

    void aCancelledJobIsEndedByTheWorkerThatClaimsIt()
    {
        WorkerCluster fake(2);
        const JobId id = fake.submit();
        fake.claim(id, 1);
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.server.expire(fake[1].sessionId());
        fake.settle();
        QVERIFY(fake.claimReady(0).jobs.empty());
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.outcome, FinalRecord::Outcome::Cancelled);
        QCOMPARE(record.attempts.claimVersion, 1);
        QVERIFY(!fake.exists(fake.pathOf(id)));
    }

    void aMalformedJobEnds()
    {
        WorkerCluster fake;
        fake.write(fake.layout.queue("default") / "q5-0000000007", "nonsense");
        fake.submit();
        QCOMPARE(fake.claimReady(0).jobs.size(), 1u); // the other one
        QCOMPARE(fake.recordOf({"default", 7}).outcome, FinalRecord::Outcome::Malformed);
        QVERIFY(!fake.exists(fake.pathOf({"default", 7})));
    }

    // In one of these rounds, a user mends the job after the claimer has read it and before it ends the job.
    void aJobThatChangedSinceItWasReadIsNotEnded()
    {
        int mended = 0;
        for (int after = 0; after < 6; ++after) {
            WorkerCluster fake(2, {.latency = 5ms});
            const JobId id{"default", 7};
            fake.write(fake.pathOf(id), "nonsense");
            const std::vector<QueueEntry> all = fake.ready();
            async::TaskGroup claiming;
            workers::Claimer claimer(jobs::Cluster(fake[1], fake.layout), QStringLiteral("w1"));
            const auto run = [&]() -> async::Task<void> { co_await WorkerCluster::claimAll(claimer, all); };
            claiming.spawn(run());
            fake.settle(std::chrono::milliseconds(after * 5) + 1ms);
            const bool inTime = fake.exists(fake.pathOf(id));
            if (inTime)
                fake.write(fake.pathOf(id), JobCluster::spec().encode());
            fake.settle(1s);
            QVERIFY(claiming.empty());
            QCOMPARE(fake.exists(fake.pathOf(id)), inTime);
            QCOMPARE(fake.exists(fake.layout.done(id)), !inTime);
            mended += inTime;
        }
        QVERIFY(mended > 1); // before it was read as well
    }

    void aFinalRecordNeverChanges()
    {
        WorkerCluster fake;
        const JobId id{"default", 7};
        const FinalRecord record = FinalRecord::of(id, JobCluster::spec());
        fake.write(fake.layout.done(id), record.encode());
        fake.write(fake.pathOf(id), "nonsense"); // put back by hand
        const Claims claims = fake.claimReady(0);
        QVERIFY(claims.jobs.empty() && claims.blocked.empty());
        QVERIFY(!fake.exists(fake.pathOf(id)));
        QCOMPARE(fake.node(fake.layout.done(id)).data, record.encode());
    }

    void aJobThatCannotBeRemovedIsHopeless()
    {
        WorkerCluster fake;
        const JobId id{"default", 7};
        fake.write(fake.pathOf(id), "nonsense");
        fake.write(fake.pathOf(id) / "child", {});
        const Claims claims = fake.claimReady(0);
        QVERIFY(claims.jobs.empty());
        QCOMPARE(claims.blocked.size(), 1u);
        QCOMPARE(claims.blocked[0].number, 7);
    }

    void endingAJobOutlivesALostReply()
    {
        FaultInjector faults(script(2, Fault::LoseReply));
        WorkerCluster fake(2, {.faults = &faults});
        fake.write(fake.layout.queue("default") / "q5-0000000007", "nonsense");
        const Claims claims = fake.claimReady(1);
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
        QVERIFY(claims.jobs.empty() && claims.blocked.empty());
        QCOMPARE(fake.childrenOf(fake.layout.done()), QByteArrayList{"default-7"});
    }

    // Sixteen specs of 60 KiB are more than a server takes in one transaction.
    void aBatchThatIsTooLargeIsClaimedInPart()
    {
        WorkerCluster fake;
        JobSpec spec = JobCluster::spec();
        spec.command.append(QString(60 * 1024, u'x'));
        Submitter submitter(Cluster(fake[0], fake.layout), {});
        for (int i = 0; i < 16; ++i)
            fake.run(submitter.submit(spec));
        const Claims first = fake.claimReady(0);
        QVERIFY(!first.jobs.empty() && first.jobs.size() < 16);
        QVERIFY(first.blocked.empty());
        std::size_t claimed = first.jobs.size();
        while (claimed < 16) {
            std::vector<QueueEntry> left = fake.ready();
            left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(claimed));
            workers::Claimer claimer(jobs::Cluster(fake[0], fake.layout), QStringLiteral("w0"));
            const Claims next = fake.run(WorkerCluster::claimAll(claimer, left));
            QVERIFY(!next.jobs.empty());
            claimed += next.jobs.size();
        }
        QCOMPARE(fake.childrenOf(fake.layout.claims()).size(), 16);
    }
};

QTEST_GUILESS_MAIN(ClaimerTest)
#include "claimer_test.moc"
