#include "jobs/cancel.h"
#include "workers/candidate.h"

#include <QLoggingCategory>
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
    static qsizetype watches(WorkerParty &party)
    {
        const auto all = party.server.watches();
        return std::count_if(all.begin(), all.end(),
                             [&](const auto &armed) { return armed.session == party[1].sessionId(); });
    }
    static qsizetype watches(WorkerParty &party, const zk::Path &path)
    {
        const auto all = party.server.watches();
        return std::count_if(all.begin(), all.end(), [&](const auto &armed) { return armed.path == path; });
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void whoAsksForTheBeginningLaterHearsOfIt()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        const JobId first = party.submit();
        const JobId ended = submitAfter(party, Dependency::Kind::Any, first);
        party.settle(1s);
        QCOMPARE(watches(party, party.layout.claim(first)), 0); // nobody asks who has claimed it
        const JobId begun = submitAfter(party, Dependency::Kind::Begun, first);
        party.settle(1s);
        QCOMPARE(watches(party, party.layout.claim(first)), 1);
        party.claim(first, 0);
        party.settle(1s);
        QCOMPARE(party.stateOf(begun), JobState::Ready);
        QCOMPARE(party.stateOf(ended), JobState::Waiting);
        party.end(first, 1);
        QCOMPARE(party.stateOf(ended), JobState::Ready);
    }

    // It had watches for each link until its session was full, and the worker ended, and the next master's.
    void aLongChainNeedsFewWatches()
    {
        constexpr int Length = 12'500;
        WorkerParty party(2);
        std::vector<JobId> chain{party.submit()};
        while (chain.size() < Length)
            chain.push_back(submitAfter(party, Dependency::Kind::Any, chain.back()));
        const Leading master(party, 1);
        party.settle(10s);
        QVERIFY2(watches(party) < 1100, qPrintable(QString::number(watches(party))));
        for (int link = 0; link < 1500; ++link) {
            QVERIFY(party.exists(party.pathOf(chain[std::size_t(link)])));
            party.end(chain[std::size_t(link)], 0); // and 100 ms later
        }
        // One in the middle is cancelled, of which nobody tells the master: what waits for it is found, and goes on.
        const JobId last = chain[Length - 3];
        QCOMPARE(party.run(cancel(party[0], party.layout, last)), CancelResult::Cancelled);
        party.settle(20s);
        QCOMPARE(party.stateOf(chain[Length - 2]), JobState::Ready);
        QCOMPARE(party.stateOf(chain[Length - 1]), JobState::Waiting);
        party.end(chain[Length - 2], 0);
        QCOMPARE(party.stateOf(chain[Length - 1]), JobState::Ready);
        QVERIFY(watches(party) < 1100);
    }

    // Each waits for another that is ready: who has no watch is looked for.
    void manyPairsNeedFewWatches()
    {
        constexpr int Pairs = 6500;
        constexpr int OutOfTurn = 50;
        WorkerParty party(2);
        std::vector<JobId> firsts;
        std::vector<JobId> seconds;
        for (int i = 0; i < Pairs; ++i)
            firsts.push_back(party.submit());
        for (const JobId &first : firsts)
            seconds.push_back(submitAfter(party, Dependency::Kind::Begun, first));
        const Leading master(party, 1);
        party.settle(10s);
        QVERIFY2(watches(party) < 6100, qPrintable(QString::number(watches(party))));
        const FinalRecord record = FinalRecord::of(firsts[0], JobParty::spec());
        for (int i = 0; i < OutOfTurn; ++i) {
            const std::size_t ended = firsts.size() - 1 - std::size_t(i);
            party.end(firsts[ended], record);
            party.claim(firsts[ended - OutOfTurn], 0);
        }
        party.settle(20s);
        for (int i = 0; i < 2 * OutOfTurn; ++i)
            QCOMPARE(party.stateOf(seconds[seconds.size() - 1 - std::size_t(i)]), JobState::Ready);
        QCOMPARE(party.stateOf(seconds[0]), JobState::Waiting);
        // Those that are watched end, and leave their watches to the others.
        for (int i = 0; i < Pairs - 2 * OutOfTurn; ++i)
            party.end(firsts[std::size_t(i)], record);
        party.settle(2s);
        for (const JobId &second : seconds)
            QVERIFY(party.exists(party.pathOf(second)));
        QVERIFY(watches(party) < 50);
    }

    // Their moves set their nodes as often as their versions say: all in one was more than a server takes.
    void manyThatWereTriedOftenShareTransactionsAsFarAsTheyFit()
    {
        constexpr int Jobs = 64;
        constexpr int Version = 300;
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 1h;
        std::vector<zk::Path> moved;
        for (int i = 0; i < Jobs; ++i) {
            const JobId id = party.submit(spec);
            const zk::Path path = party.layout.job("default", *party.view(id).entry);
            zk::Transaction attempts;
            for (int version = 0; version < Version; ++version)
                attempts.set(path, party.node(path).data, version);
            party.commit(std::move(attempts.set(party.layout.waiting("default"), {})));
            moved.push_back(party.pathOf(id));
        }
        party.settle(1h + 5s);
        for (const zk::Path &path : moved) {
            QVERIFY(party.exists(path));
            QCOMPARE(party.node(path).stat.version, Version);
        }
    }

    // Once a second it looks at the clock; otherwise it sleeps, whatever the number of those that wait.
    void manyThatWaitCostNothingWhileTheyWait()
    {
        WorkerParty party(2);
        const Leading master(party, 1);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 1h;
        for (int i = 0; i < 300; ++i)
            party.submit(spec);
        party.settle(5s);
        const quint64 before = party[1].counters().requests;
        party.settle(60s);
        const quint64 idle = party[1].counters().requests - before;
        QVERIFY2(idle <= 60 * 8, qPrintable(QString::number(idle))); // its statistics alone
        party.settle(1h);
        QCOMPARE(party.ready().size(), 300u);
    }
};

QTEST_GUILESS_MAIN(ManyWaitingTest)
#include "many_waiting_test.moc"
