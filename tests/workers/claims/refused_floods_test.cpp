#include "jobs/model/worker_info.h"
#include "support/closed_cluster.h"
#include "support/fake/fake_acl.h"
#include "support/run_task.h"
#include "workers/claims/refusals.h"
#include "workers/dispatch/refused_jobs.h"
#include "workers/working.h"

#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

int refusalLines = 0;
QString lastRefusal;

void countLines(QtMsgType, const QMessageLogContext &context, const QString &text)
{
    if (QLatin1StringView(context.category) != QLatin1StringView("drover.workers.refusals"))
        return;
    ++refusalLines;
    lastRefusal = text;
}

} // namespace

// Unsigned jobs come by the thousand, of a client that has a password and no key.
class RefusedFloodsTest : public QObject
{
    Q_OBJECT

    struct Writes {
        explicit Writes(WorkerCluster &fake)
        {
            fake.server.onCommit([this, &fake](const FakeZooKeeper::Commit &commit) {
                for (std::size_t who = 1; who < bySession.size(); ++who) {
                    if (int(who) >= fake.size() || commit.session != fake[int(who)].sessionId()
                        || commit.kind != FakeZooKeeper::Commit::Kind::Write)
                        continue;
                    ++bySession[who];
                    const auto *const multi = std::get_if<zk::MultiRequest>(&commit.call->request);
                    operations += multi ? multi->transaction.operations().size() : 1;
                }
            });
        }
        std::array<int, 3> bySession{};
        std::size_t operations = 0; // of all of them
    };

    void publish(WorkerCluster &fake, std::set<QByteArray> revoked = {}, qint64 number = 1) const
    {
        fake.write(fake.layout.revocations(),
                   trust::Revocations{number, std::move(revoked)}.signedBy(m_closed.root, m_closed.clusterId));
    }

    static void flood(WorkerCluster &fake, int count, int priority = 5)
    {
        const auto create = [](WorkerCluster *cluster, int nodes, int of) -> async::Task<void> {
            const zk::Path queue = cluster->layout.queue("default");
            const QByteArray unsigned_ = R"({"v":1,"cmd":["evil"]})";
            std::vector<zk::Reply<zk::Created>> creating;
            for (int i = 0; i < nodes; ++i)
                creating.push_back((*cluster)[0].create(queue / QueueEntry::prefix(QueueEntry::Class::Ready, of),
                                                        unsigned_, zk::CreateMode::PersistentSequential));
            for (const zk::Reply<zk::Created> &reply : creating) {
                const zk::Answer<zk::Created> created = co_await reply;
                created.require();
            }
        };
        fake.run(create(&fake, count, priority));
    }

    JobId submit(WorkerCluster &fake, const JobSpec &spec = JobCluster::spec())
    {
        Submitter submitter(Cluster(fake[0], fake.layout, m_alice), {});
        return fake.run(submitter.submit(spec));
    }

    workers::Claimer claimerOf(WorkerCluster &fake, int who)
    {
        return workers::Claimer(Cluster(fake[who], fake.layout, m_worker), QStringLiteral("w%1").arg(who));
    }

    static workers::WorkerOptions optionsIn(const QTemporaryDir &spool)
    {
        workers::WorkerOptions options = Working::options(2);
        options.spool = spool.path();
        options.spoolLimits.reserve = 0;
        return options;
    }

    static qint64 refusedBy(const WorkerCluster &fake)
    {
        return WorkerInfo::decode(fake.node(fake.layout.members() / "w1").data).refused;
    }
    static qsizetype jobsIn(WorkerCluster &fake) { return fake.childrenOf(fake.layout.queue("default")).size(); }
    static int recordsIn(WorkerCluster &fake) { return int(fake.childrenOf(fake.layout.done()).size()); }

    ClosedCluster m_closed;
    std::shared_ptr<trust::Credentials> m_alice = m_closed.person(QStringLiteral("alice"));
    std::shared_ptr<trust::Credentials> m_worker =
        m_closed.person(QStringLiteral("w1"), [](trust::Certificate &paper) { paper.roles = {trust::Role::Worker}; });
    QtMessageHandler m_before = nullptr;

private Q_SLOTS:
    void init()
    {
        refusalLines = 0;
        m_before = qInstallMessageHandler(countLines);
    }
    void cleanup() { qInstallMessageHandler(m_before); }

    // Each cost a transaction, a record and a line.
    void aFloodCostsFewTransactionsRecordsAndLines()
    {
        WorkerCluster fake(2);
        publish(fake);
        flood(fake, 300);
        workers::Claimer claimer = claimerOf(fake, 1);
        Writes writes(fake);
        QVERIFY(fake.run(WorkerCluster::claimAll(claimer, fake.ready())).jobs.empty());
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE(writes.bySession[1], 300 / int(workers::MostEndedTogether) + 1);
        QCOMPARE(recordsIn(fake), workers::Refusals::EachSecond);
        QCOMPARE(writes.operations, 290u + 10 * 4); // a job with a record needs its claim and that
        QCOMPARE(claimer.refused(), 300);
        QCOMPARE(refusalLines, workers::Refusals::EachSecond);
        fake.settle(2s);
        QCOMPARE(refusalLines, workers::Refusals::EachSecond + 1);
        QCOMPARE(lastRefusal, QStringLiteral("290 further jobs in this second, the last: default-299"));
        flood(fake, 1);
        fake.run(WorkerCluster::claimAll(claimer, fake.ready()));
        QCOMPARE(recordsIn(fake), workers::Refusals::EachSecond + 1); // another second
    }

    // A person has signed them: their dependents, and those who wait for them, learn of their end.
    void whatAPersonHasSignedIsRecorded()
    {
        WorkerCluster fake(2);
        publish(fake);
        for (int i = 0; i < 30; ++i)
            submit(fake);
        publish(fake, {m_alice->ownCertificate().serial}, 2);
        workers::Claimer claimer = claimerOf(fake, 1);
        fake.run(WorkerCluster::claimAll(claimer, fake.ready()));
        QCOMPARE(recordsIn(fake), 30);
        QCOMPARE(fake.recordOf({"default", 29}).reason, QStringLiteral("the certificate of alice is revoked"));
    }

    // Both read all of them, and end the same ones at the same time.
    void twoWorkersEndOneFlood()
    {
        WorkerCluster fake(3, {.latency = 2ms});
        publish(fake);
        flood(fake, 256);
        workers::Claimer first = claimerOf(fake, 1);
        workers::Claimer second = claimerOf(fake, 2);
        Writes writes(fake);
        async::TaskGroup claiming;
        int ended = 0;
        const auto claim = [&fake, &ended](workers::Claimer *claimer) -> async::Task<void> {
            const workers::Claims claims = co_await WorkerCluster::claimAll(*claimer, fake.ready());
            ended += claims.jobs.empty() && claims.blocked.empty() ? 1 : 0;
        };
        claiming.spawn(claim(&first));
        claiming.spawn(claim(&second));
        fake.settle(1min);
        QCOMPARE(ended, 2);
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE_LE(recordsIn(fake), 2 * workers::Refusals::EachSecond);
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
        QCOMPARE_LE(writes.bySession[1] + writes.bySession[2], 16); // without a conflict 8
    }

    // A claim stands, or another program's nodes are below it: the others end nevertheless.
    void whatIsInTheWayStays()
    {
        WorkerCluster fake(2);
        publish(fake);
        flood(fake, 70);
        fake.write(fake.pathOf({"default", 50}), R"({"v":1,"cmd":["evil"]})"); // as a claim raises its version
        workers::Claimer claimer = claimerOf(fake, 1);
        workers::Candidates found = fake.run(claimer.read("default", fake.ready()));
        QCOMPARE(found.refused.size(), 70u);
        fake.write(fake.layout.claim({"default", 3}), "{}");
        fake.write(fake.layout.claim({"default", 50}), "{}"); // without a record
        fake.write(fake.pathOf({"default", 5}) / "x", "");
        fake.write(fake.pathOf({"default", 69}), "{}"); // another version
        std::map<qint32, workers::Ended> left;
        for (const workers::LeftJob &job : fake.run(claimer.endRefused(WorkerCluster::inDefault(found.refused))))
            left.emplace(job.id.number, job.why);
        QCOMPARE(jobsIn(fake), 4);
        QCOMPARE(left.size(), 4u);
        QVERIFY(left.at(50) == workers::Ended::Changed);
        QVERIFY(left.at(3) == workers::Ended::Changed && left.at(5) == workers::Ended::Blocked
                && left.at(69) == workers::Ended::Changed);
    }

    void aLostReplyEndsEachOnce_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("reply") << int(Fault::LoseReply);
        QTest::newRow("request") << int(Fault::LoseRequest);
    }
    void aLostReplyEndsEachOnce()
    {
        QFETCH(int, fault);
        FaultPlan plan;
        plan.behind = 1;
        // After 100 reads, that of the list and that which follows it, and the ten for their records.
        plan.scripted[112] = static_cast<Fault>(fault);
        FaultInjector faults(plan);
        WorkerCluster fake(2, {.faults = &faults});
        publish(fake);
        flood(fake, 100);
        workers::Claimer claimer = claimerOf(fake, 1);
        fake.run(WorkerCluster::claimAll(claimer, fake.ready()));
        QCOMPARE(faults.log().count(static_cast<Fault>(fault)), 1u);
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE(recordsIn(fake), workers::Refusals::EachSecond);
    }

    // Each was read again a second later while it waited for its end, and counted each time.
    void eachIsCountedOnce()
    {
        constexpr int Many = 10'000;
        WorkerCluster fake(2, {.latency = 5ms});
        publish(fake);
        QTemporaryDir spool;
        flood(fake, Many);
        Writes writes(fake);
        const Working working(fake, 1, optionsIn(spool), 1s, {}, {}, m_worker);
        fake.settle(5min);
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE_LE(writes.bySession[1], Many / int(workers::MostEndedTogether) + 50); // its node once a second
        QCOMPARE(refusedBy(fake), Many);
    }

    // A server writes each transaction to its disk, and those of others wait for that.
    void aTrickleIsEndedTenTimesASecond()
    {
        WorkerCluster fake(2, {.latency = 1ms});
        publish(fake);
        QTemporaryDir spool;
        const Working working(fake, 1, optionsIn(spool), 1s, {}, {}, m_worker);
        fake.settle(2s);
        Writes writes(fake);
        for (int i = 0; i < 200; ++i) {
            flood(fake, 1);
            fake.settle(10ms);
        }
        fake.settle(2s);
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE_LE(writes.bySession[1], 80); // places in the line of idle workers included
    }

    // What a thief puts back that persons have signed. Each had a record at once, and thousands of records lay in the
    // worker's memory.
    void signedOnesAreEndedAFewASecond()
    {
        constexpr int Few = int(workers::MostEndedTogether);
        WorkerCluster fake(2, {.latency = 1ms});
        publish(fake);
        for (int i = 0; i < 5 * Few; ++i)
            submit(fake);
        publish(fake, {m_alice->ownCertificate().serial}, 2);
        QTemporaryDir spool;
        const Working working(fake, 1, optionsIn(spool), 1s, {}, {}, m_worker);
        int most = 0;
        for (int before = 0, i = 0; i < 60 && jobsIn(fake) > 0; ++i) {
            fake.settle(1s);
            most = std::max(most, recordsIn(fake) - std::exchange(before, recordsIn(fake)));
        }
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE(recordsIn(fake), 5 * Few); // no person waits in vain
        QCOMPARE_LE(most, 2 * Few); // by the test's seconds, which begin between the worker's
        fake.settle(2s);
        QCOMPARE(refusedBy(fake), 5 * Few);
    }

    // A second went to the jobs of one queue: those of many queues came to their end after hours.
    void manyQueuesShareASecond()
    {
        constexpr int Queues = int(workers::MostEndedTogether);
        constexpr int Each = 3;
        WorkerCluster fake(2, {.latency = 1ms});
        publish(fake);
        QTemporaryDir spool;
        workers::WorkerOptions options = optionsIn(spool);
        options.queues.clear();
        JobSpec spec = JobCluster::spec();
        for (int i = 0; i < Queues; ++i)
            options.queues.append("q" + QByteArray::number(i));
        fake.run(ensureCluster(fake.cluster(), options.queues));
        for (int i = 0; i < Queues * Each; ++i) {
            spec.queue = options.queues[i % Queues];
            submit(fake, spec);
        }
        publish(fake, {m_alice->ownCertificate().serial}, 2);
        const Working working(fake, 1, options, 1s, {}, {}, m_worker);
        fake.settle(15s);
        QCOMPARE(recordsIn(fake), Queues * Each);
        for (const QByteArray &queue : options.queues)
            QVERIFY2(fake.childrenOf(fake.layout.queue(queue)).isEmpty(), queue);
        QCOMPARE(refusedBy(fake), Queues * Each);
    }

    // The first one is refused by the journal once it is claimed. The worker asks it before each further claim.
    void aReplayCostsNoClaims()
    {
        WorkerCluster fake(2);
        publish(fake);
        QTemporaryDir spool;
        JobSpec once = JobCluster::spec();
        once.maxAttempts = 1;
        const JobId id = submit(fake, once);
        const QByteArray stolen = fake.node(fake.pathOf(id)).data;
        const Working working(fake, 1, optionsIn(spool), 1s, {}, {}, m_worker);
        fake.settle(10s);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        constexpr int Copies = 500;
        int claims = 0;
        fake.server.onCommit([&fake, &claims](const FakeZooKeeper::Commit &commit) {
            claims +=
                commit.session == fake[1].sessionId() && commit.kind == FakeZooKeeper::Commit::Kind::Write ? 1 : 0;
        });
        for (int i = 0; i < Copies; ++i)
            fake.write(fake.pathOf({"default", id.number + 1 + i}), stolen);
        fake.settle(1min);
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE_LE(claims, 200); // each cost two transactions
        QCOMPARE(working.begun(), 1u);
        const FinalRecord last = fake.recordOf({"default", id.number + Copies});
        QCOMPARE(last.reason, QStringLiteral("it has begun 1 times on this machine"));
        QCOMPARE(last.submitter, QStringLiteral("alice"));
        const JobId next = submit(fake);
        fake.settle(5s);
        QCOMPARE(fake.recordOf(next).state(), JobState::Succeeded);
    }

    // Its end was void, and it was counted once more when it had come back.
    void whatComesBackIsCountedOnce()
    {
        WorkerCluster fake(2);
        publish(fake);
        QTemporaryDir spool;
        JobSpec twice = JobCluster::spec();
        twice.maxAttempts = 2;
        const JobId id = submit(fake, twice);
        const QByteArray stolen = fake.node(fake.pathOf(id)).data;
        const Working working(fake, 1, optionsIn(spool), 1s, {}, {}, m_worker);
        fake.settle(10s);
        const auto putBack = [&](int place) {
            const JobId copy{"default", id.number + place};
            fake.write(fake.pathOf(copy), stolen);
            fake.settle(1min);
            return copy;
        };
        QCOMPARE(fake.recordOf(putBack(1)).state(), JobState::Succeeded); // its second attempt
        fake.setRights(fake.layout.done(), zk::AllPermissions - static_cast<qint32>(Permission::Create));
        const JobId last = putBack(2);
        QCOMPARE(jobsIn(fake), 1);
        QCOMPARE(refusedBy(fake), 0);
        fake.setRights(fake.layout.done(), zk::AllPermissions);
        fake.settle(workers::WorkFinder::AsideFor + 1min);
        QCOMPARE(fake.recordOf(last).outcome, FinalRecord::Outcome::Refused);
        QCOMPARE(refusedBy(fake), 1);
    }

    // It stood behind all of them: each was ended in a transaction of its own, one after the other.
    void aSignedJobBeginsBeforeTheFloodHasEnded()
    {
        WorkerCluster fake(2, {.latency = 1ms});
        publish(fake);
        QTemporaryDir spool;
        flood(fake, 1000, 0);
        const JobId id = submit(fake);
        Writes writes(fake);
        const Working working(fake, 1, optionsIn(spool), 1s, {}, {}, m_worker);
        for (int i = 0; i < 5000 && !working.began(id); ++i)
            fake.settle(1ms);
        QVERIFY(working.began(id));
        QCOMPARE_LE(writes.bySession[1], 60);
        fake.settle(1min);
        QCOMPARE(jobsIn(fake), 0);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // The listing was used for a second, and what came first meanwhile waited behind it.
    void aFloodOfALowPriorityKeepsNoJobWaiting()
    {
        WorkerCluster fake(2, {.latency = 1ms});
        publish(fake);
        QTemporaryDir spool;
        const Working working(fake, 1, optionsIn(spool), 1ms, {}, {}, m_worker);
        fake.settle(3s);
        flood(fake, 20'000, 9);
        fake.settle(20ms);
        const JobId id = submit(fake);
        int waited = 0; // ms
        for (; waited < 5000 && !working.began(id); ++waited)
            fake.settle(1ms);
        QCOMPARE_LE(waited, 300);
        QCOMPARE_GE(jobsIn(fake), 5'000); // while the flood stands
    }
};

QTEST_GUILESS_MAIN(RefusedFloodsTest)
#include "refused_floods_test.moc"
