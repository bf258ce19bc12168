#include "jobs/client/cancel_job.h"
#include "workers/candidate.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// What thousands of jobs that wait cost: watches, requests, transactions.
class ManyWaitingTest : public QObject
{
    Q_OBJECT

    // Of the master's session.
    static qsizetype watches(WorkerCluster &fake)
    {
        const auto all = fake.server.watches();
        return std::count_if(all.begin(), all.end(),
                             [&](const auto &armed) { return armed.session == fake[1].sessionId(); });
    }
    static qsizetype watches(WorkerCluster &fake, const zk::Path &path)
    {
        const auto all = fake.server.watches();
        return std::count_if(all.begin(), all.end(), [&](const auto &armed) { return armed.path == path; });
    }

private Q_SLOTS:
    void aLateSubscriberLearnsOfTheBeginning()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        const JobId first = fake.submit();
        const JobId ended = submitAfter(fake, Dependency::Kind::Any, first);
        fake.settle(1s);
        QCOMPARE(watches(fake, fake.layout.claim(first)), 0); // no client asks which worker has claimed it
        const JobId begun = submitAfter(fake, Dependency::Kind::Begun, first);
        fake.settle(1s);
        QCOMPARE(watches(fake, fake.layout.claim(first)), 1);
        fake.claim(first, 0);
        fake.settle(1s);
        QCOMPARE(fake.stateOf(begun), JobState::Ready);
        QCOMPARE(fake.stateOf(ended), JobState::Waiting);
        fake.end(first, 1);
        QCOMPARE(fake.stateOf(ended), JobState::Ready);
    }

    // It had watches for each link until its session was full, and the worker ended, and the next master's.
    void aLongChainNeedsFewWatches()
    {
        constexpr int Length = 12'500;
        WorkerCluster fake(2);
        std::vector<JobId> chain{fake.submit()};
        while (chain.size() < Length)
            chain.push_back(submitAfter(fake, Dependency::Kind::Any, chain.back()));
        const Leading master(fake, 1);
        fake.settle(10s);
        QVERIFY2(watches(fake) < 1100, qPrintable(QString::number(watches(fake))));
        for (int link = 0; link < 1500; ++link) {
            QVERIFY(fake.exists(fake.pathOf(chain[std::size_t(link)])));
            fake.end(chain[std::size_t(link)], 0); // and 100 ms later
        }
        // A job in the middle is cancelled, and the master gets no report. It still finds the job that waits for it.
        const JobId last = chain[Length - 3];
        QCOMPARE(fake.run(cancel(Cluster(fake[0], fake.layout), last)), CancelResult::Cancelled);
        fake.settle(20s);
        QCOMPARE(fake.stateOf(chain[Length - 2]), JobState::Ready);
        QCOMPARE(fake.stateOf(chain[Length - 1]), JobState::Waiting);
        fake.end(chain[Length - 2], 0);
        QCOMPARE(fake.stateOf(chain[Length - 1]), JobState::Ready);
        QVERIFY(watches(fake) < 1100);
    }

    // Each waits for another that is ready: who has no watch is looked for.
    void manyPairsNeedFewWatches()
    {
        constexpr int Pairs = 6500;
        constexpr int OutOfTurn = 50;
        WorkerCluster fake(2);
        std::vector<JobId> firsts;
        std::vector<JobId> seconds;
        for (int i = 0; i < Pairs; ++i)
            firsts.push_back(fake.submit());
        for (const JobId &first : firsts)
            seconds.push_back(submitAfter(fake, Dependency::Kind::Begun, first));
        const Leading master(fake, 1);
        fake.settle(10s);
        QVERIFY2(watches(fake) < 6100, qPrintable(QString::number(watches(fake))));
        const FinalRecord record = FinalRecord::of(firsts[0], JobCluster::spec());
        for (int i = 0; i < OutOfTurn; ++i) {
            const std::size_t ended = firsts.size() - 1 - std::size_t(i);
            fake.end(firsts[ended], record);
            fake.claim(firsts[ended - OutOfTurn], 0);
        }
        fake.settle(20s);
        for (int i = 0; i < 2 * OutOfTurn; ++i)
            QCOMPARE(fake.stateOf(seconds[seconds.size() - 1 - std::size_t(i)]), JobState::Ready);
        QCOMPARE(fake.stateOf(seconds[0]), JobState::Waiting);
        // The watched jobs end, and leave their watches to the others.
        for (int i = 0; i < Pairs - 2 * OutOfTurn; ++i)
            fake.end(firsts[std::size_t(i)], record);
        fake.settle(2s);
        for (const JobId &second : seconds)
            QVERIFY(fake.exists(fake.pathOf(second)));
        QVERIFY(watches(fake) < 50);
    }

    // Their moves set their nodes as often as their versions say: all in one was more than a server takes.
    void manyThatWereTriedOftenShareTransactionsAsFarAsTheyFit()
    {
        constexpr int Jobs = 64;
        constexpr int Version = 300;
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 1h;
        std::vector<zk::Path> moved;
        for (int i = 0; i < Jobs; ++i) {
            const JobId id = fake.submit(spec);
            const zk::Path path = fake.layout.job("default", *fake.view(id).entry);
            zk::Transaction attempts;
            for (int version = 0; version < Version; ++version)
                attempts.set(path, fake.node(path).data, version);
            fake.commit(std::move(attempts.set(fake.layout.waiting("default"), {})));
            moved.push_back(fake.pathOf(id));
        }
        fake.settle(1h + 5s);
        for (const zk::Path &path : moved) {
            QVERIFY(fake.exists(path));
            QCOMPARE(fake.node(path).stat.version, Version);
        }
    }

    // Once a second it looks at the clock; otherwise it sleeps, whatever the number of those that wait.
    void manyThatWaitCostNothingWhileTheyWait()
    {
        WorkerCluster fake(2);
        const Leading master(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 1h;
        for (int i = 0; i < 300; ++i)
            fake.submit(spec);
        fake.settle(5s);
        const quint64 before = fake[1].counters().requests;
        fake.settle(60s);
        const quint64 idle = fake[1].counters().requests - before;
        QVERIFY2(idle <= 60 * 8, qPrintable(QString::number(idle))); // its statistics alone
        fake.settle(1h);
        QCOMPARE(fake.ready().size(), 300u);
    }
};

QTEST_GUILESS_MAIN(ManyWaitingTest)
#include "many_waiting_test.moc"
