#include "jobs/client/job_control.h"
#include "jobs/cluster/queue_settings.h"
#include "workers/working.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Jobs of milliseconds wait in the runner for a slot; none waits there for a job that is not short after all.
class ShortJobsTest : public QObject
{
    Q_OBJECT

    static JobSpec specOf(std::chrono::milliseconds takes)
    {
        JobSpec spec = JobCluster::spec();
        spec.environment.emplace(QStringLiteral("TAKES"), QString::number(takes.count()));
        return spec;
    }
    static JobId submit(WorkerCluster &fake, std::chrono::milliseconds takes) { return fake.submit(specOf(takes)); }
    // In one listing. The queue is empty before.
    static std::vector<JobId> submitTogether(WorkerCluster &fake, const std::vector<std::chrono::milliseconds> &takes)
    {
        zk::Transaction submits;
        for (const std::chrono::milliseconds one : takes)
            submits.create(fake.layout.queue("default") / QueueEntry::prefix(QueueEntry::Class::Ready, 5),
                           specOf(one).encode(), zk::CreateMode::PersistentSequential);
        fake.commit(std::move(submits));
        std::vector<JobId> ids;
        for (const QueueEntry &entry : fake.ready())
            ids.push_back(entry.idIn("default"));
        return ids;
    }
    // A worker that has just seen that jobs are short here.
    static void warmUp(WorkerCluster &fake)
    {
        for (int i = 0; i < 10; ++i)
            submit(fake, 2ms);
        fake.settle(300ms);
    }
    static std::size_t claims(WorkerCluster &fake) { return fake.childrenOf(fake.layout.claims()).size(); }
    static std::size_t atOnce(const std::vector<Execution> &runs)
    {
        std::size_t most = 0;
        for (const Execution &run : runs)
            most = std::max<std::size_t>(most, std::count_if(runs.begin(), runs.end(), [&](const Execution &other) {
                                             return other.from <= run.from && run.from < other.until;
                                         }));
        return most;
    }

private Q_SLOTS:
    void theyFollowEachOther()
    {
        WorkerCluster fake(2);
        for (int i = 0; i < 60; ++i)
            submit(fake, 2ms);
        const Working working(fake, 1, 2);
        fake.settle(5s);
        const std::vector<Execution> &runs = working.witness();
        QCOMPARE(runs.size(), 60u);
        const auto followers =
            std::count_if(runs.begin(), runs.end(), [](const Execution &run) { return run.followed; });
        QVERIFY2(followers > 30, qPrintable(QString::number(followers)));
        QCOMPARE(atOnce(runs), 2u); // no slot is used twice
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 60);
        QCOMPARE(claims(fake), 0u);
    }

    // Found by a reader: a small worker claimed nothing ahead, and each slot was idle for a report, a read and a claim.
    void jobsOfATenthOfASecondFollowWithoutAPause()
    {
        WorkerCluster fake(2);
        for (int i = 0; i < 100; ++i)
            submit(fake, 100ms);
        const Working working(fake, 1, 2);
        fake.settle(10s);
        std::vector<Execution> runs = working.witness();
        QCOMPARE(runs.size(), 100u);
        const async::Duration inAll = runs.back().until - runs.front().from;
        QVERIFY2(inAll < 5200ms, qPrintable(QString::number(inAll / 1ms)));
    }

    void aClaimAheadIsNotKeptFromIdleWorkers()
    {
        WorkerCluster fake(3);
        const Working first(fake, 1, 2);
        for (int i = 0; i < 20; ++i)
            submit(fake, 100ms);
        fake.settle(1200ms);
        const std::vector<JobId> longer = submitTogether(fake, {10s, 10s, 10s});
        const Working second(fake, 2, 2);
        fake.settle(1s);
        for (const JobId &id : longer)
            QVERIFY(first.began(id) || second.began(id));
    }

    // They came back in the reverse order.
    void recalledJobsKeepTheirOrder()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, 2);
        warmUp(fake);
        const std::vector<JobId> all = submitTogether(fake, {2ms, 60ms, 60ms, 60ms, 60ms, 60ms});
        fake.settle(2s);
        QList<QByteArray> order;
        for (const Execution &run : working.witness()) {
            if (order.size() > 0 || run.job == all.front().bytes())
                order.append(run.job);
        }
        QCOMPARE(order.size(), 6);
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(order[static_cast<qsizetype>(i)], all[i].bytes());
    }

    void aLongJobDelaysNoOther()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, 2);
        warmUp(fake);
        const JobId longer = submit(fake, 10s);
        for (int i = 0; i < 30; ++i)
            submit(fake, 2ms);
        fake.settle(2s);
        QVERIFY(working.began(longer));
        QVERIFY(!fake.exists(fake.layout.done(longer)));
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 40); // by the other slot
        QCOMPARE(claims(fake), 1u);
    }

    void jobsThatHaveNotBegunAreGivenBackInTime()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1);
        warmUp(fake);
        const JobId longer = submit(fake, 10s);
        for (int i = 0; i < 10; ++i)
            submit(fake, 2ms);
        fake.settle(2s);
        QCOMPARE(working.begun(), 11u);
        QCOMPARE(claims(fake), 1u); // others may have them
        fake.settle(20s);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 21);
        QCOMPARE(fake.recordOf(longer).attempts.claimVersion, 1);
    }

    void aPauseCallsThemBack()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1);
        warmUp(fake);
        submit(fake, 50ms);
        for (int i = 0; i < 10; ++i)
            submit(fake, 2ms);
        fake.settle(20ms);
        const auto pause = [](QueueSettings &settings) { settings.paused = true; };
        fake.run(changeQueue(Cluster(fake[0], fake.layout), "default", pause));
        fake.settle(10s);
        QCOMPARE(working.begun(), 11u);
        QCOMPARE(claims(fake), 0u);
        QCOMPARE(fake.ready().size(), 10u);
    }

    void aStopCallsThemBack()
    {
        WorkerCluster fake(2);
        Working working(fake, 1);
        warmUp(fake);
        submit(fake, 50ms);
        for (int i = 0; i < 10; ++i)
            submit(fake, 2ms);
        fake.settle(20ms);
        working.worker.stop();
        fake.settle(10s);
        QVERIFY(working.ended());
        QCOMPARE(working.begun(), 11u);
        QCOMPARE(claims(fake), 0u);
        QCOMPARE(fake.ready().size(), 10u);
    }

    // Found by a reader: they began one a second.
    void longJobsAfterShortOnesBeginBesideEachOther_data()
    {
        QTest::addColumn<int>("idle"); // milliseconds between the short ones and the others
        QTest::addColumn<int>("begunWithin");
        QTest::newRow("at once") << 0 << 500;
        QTest::newRow("after a while") << 8000 << 20;
    }
    void longJobsAfterShortOnesBeginBesideEachOther()
    {
        QFETCH(int, idle);
        QFETCH(int, begunWithin);
        WorkerCluster fake(4);
        std::vector<std::unique_ptr<Working>> working;
        for (int who = 1; who <= 3; ++who)
            working.push_back(std::make_unique<Working>(fake, who));
        fake.settle(1s);
        for (int i = 0; i < 60; ++i)
            submit(fake, 2ms);
        fake.settle(500ms);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 60);
        fake.settle(std::chrono::milliseconds(idle));
        const std::vector<JobId> longer = submitTogether(fake, {3s, 3s, 3s});
        fake.settle(std::chrono::milliseconds(begunWithin));
        int running = 0;
        for (const auto &one : working)
            running += one->worker.running();
        QCOMPARE(running, 3);
        fake.settle(10s);
        for (const JobId &id : longer) {
            QCOMPARE(fake.recordOf(id).attempts.number(), 1); // however often it was given back
            QVERIFY(std::any_of(working.begin(), working.end(), [&](const auto &one) { return one->began(id); }));
        }
        for (const auto &one : working) {
            for (const Execution &run : one->witness())
                QCOMPARE(run.attempt, 1);
        }
    }

    // No part of the cluster takes such a job for one that runs.
    void aJobClaimedAheadHasNotBegun()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1);
        warmUp(fake);
        const std::vector<JobId> both = submitTogether(fake, {10s, 10s});
        const JobId second = both.at(1);
        fake.settle(20ms);
        QVERIFY(fake.isClaimedBy(both.at(0), 1) && fake.isClaimedBy(second, 1));
        QVERIFY(fake.view(both.at(0)).claim->hasBegun());
        QVERIFY(!fake.view(second).claim->hasBegun());
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(sendSignal(Cluster(fake[0], fake.layout), second, 10)));
        QVERIFY(!fake.exists(fake.layout.claim(second))); // nothing was written into a claim that went
        QVERIFY(!working.began(second));
    }

    void aJobClaimedAheadReportsItsStart()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1);
        warmUp(fake);
        const JobId longer = submitTogether(fake, {50ms, 10s}).at(1);
        fake.settle(20ms);
        QVERIFY(fake.isClaimedBy(longer, 1));
        QVERIFY(!fake.view(longer).claim->hasBegun());
        QCOMPARE(fake.run(sendSignal(Cluster(fake[0], fake.layout), longer, 10)).from, JobState::Running);
        QVERIFY(working.began(longer));
        QVERIFY(fake.view(longer).claim->hasBegun());
        fake.settle(100ms);
        QCOMPARE(working.latest().received, std::vector<int>{10});
    }

    void clearingThePrefetchMarkCostsShortJobsNothing()
    {
        WorkerCluster fake(2);
        const Working working(fake, 1, 2);
        warmUp(fake);
        const auto sets = [&] { return fake[1].counters().requests; };
        const quint64 before = sets();
        for (int i = 0; i < 200; ++i)
            submit(fake, 2ms);
        fake.settle(900ms);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 210);
        QVERIFY2(sets() - before < 200 * 2, qPrintable(QString::number(sets() - before)));
    }

    void theDeathOfTheRunnerIsSurvived()
    {
        WorkerCluster fake(2);
        Working working(fake, 1, 2);
        warmUp(fake);
        for (int i = 0; i < 40; ++i)
            submit(fake, 9ms);
        fake.settle(40ms);
        working.killRunner();
        fake.settle(1min);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 50);
        QCOMPARE(claims(fake), 0u);
        QCOMPARE(atOnce(working.witness()), 2u);
    }
};

QTEST_GUILESS_MAIN(ShortJobsTest)
#include "short_jobs_test.moc"
