#include "jobs/control.h"
#include "jobs/queue_settings.h"
#include "workers/working.h"

#include <QLoggingCategory>
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
        JobSpec spec = JobParty::spec();
        spec.environment.emplace(QStringLiteral("TAKES"), QString::number(takes.count()));
        return spec;
    }
    static JobId submit(WorkerParty &party, std::chrono::milliseconds takes) { return party.submit(specOf(takes)); }
    // In one listing. The queue is empty before.
    static std::vector<JobId> submitTogether(WorkerParty &party, const std::vector<std::chrono::milliseconds> &takes)
    {
        zk::Transaction submits;
        for (const std::chrono::milliseconds one : takes)
            submits.create(party.layout.queue("default") / QueueEntry::prefix(QueueEntry::Class::Ready, 5),
                           specOf(one).encode(), zk::CreateMode::PersistentSequential);
        party.commit(std::move(submits));
        std::vector<JobId> ids;
        for (const QueueEntry &entry : party.ready())
            ids.push_back(entry.idIn("default"));
        return ids;
    }
    // A worker that has just seen that jobs are short here.
    static void warmUp(WorkerParty &party)
    {
        for (int i = 0; i < 10; ++i)
            submit(party, 2ms);
        party.settle(300ms);
    }
    static std::size_t claims(WorkerParty &party) { return party.childrenOf(party.layout.claims()).size(); }
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
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void theyFollowEachOther()
    {
        WorkerParty party(2);
        for (int i = 0; i < 60; ++i)
            submit(party, 2ms);
        const Working working(party, 1, 2);
        party.settle(5s);
        const std::vector<Execution> &runs = working.witness();
        QCOMPARE(runs.size(), 60u);
        const auto followers =
            std::count_if(runs.begin(), runs.end(), [](const Execution &run) { return run.followed; });
        QVERIFY2(followers > 30, qPrintable(QString::number(followers)));
        QCOMPARE(atOnce(runs), 2u); // no slot is used twice
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 60);
        QCOMPARE(claims(party), 0u);
    }

    // Found by a reader: a small worker claimed nothing ahead, and each slot was idle for a report, a read and a claim.
    void thoseOfATenthOfASecondFollowWithoutAPause()
    {
        WorkerParty party(2);
        for (int i = 0; i < 100; ++i)
            submit(party, 100ms);
        const Working working(party, 1, 2);
        party.settle(10s);
        std::vector<Execution> runs = working.witness();
        QCOMPARE(runs.size(), 100u);
        const async::Duration inAll = runs.back().until - runs.front().from;
        QVERIFY2(inAll < 5200ms, qPrintable(QString::number(inAll / 1ms)));
    }

    void whatIsClaimedAheadIsNotKeptFromIdleWorkers()
    {
        WorkerParty party(3);
        const Working first(party, 1, 2);
        for (int i = 0; i < 20; ++i)
            submit(party, 100ms);
        party.settle(1200ms);
        const std::vector<JobId> longer = submitTogether(party, {10s, 10s, 10s});
        const Working second(party, 2, 2);
        party.settle(1s);
        for (const JobId &id : longer)
            QVERIFY(first.began(id) || second.began(id));
    }

    // They came back in the reverse order.
    void whatIsRecalledKeepsItsOrder()
    {
        WorkerParty party(2);
        const Working working(party, 1, 2);
        warmUp(party);
        const std::vector<JobId> all = submitTogether(party, {2ms, 60ms, 60ms, 60ms, 60ms, 60ms});
        party.settle(2s);
        QList<QByteArray> order;
        for (const Execution &run : working.witness()) {
            if (order.size() > 0 || run.job == all.front().bytes())
                order.append(run.job);
        }
        QCOMPARE(order.size(), 6);
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(order[static_cast<qsizetype>(i)], all[i].bytes());
    }

    void aLongOneHoldsUpNobody()
    {
        WorkerParty party(2);
        const Working working(party, 1, 2);
        warmUp(party);
        const JobId longer = submit(party, 10s);
        for (int i = 0; i < 30; ++i)
            submit(party, 2ms);
        party.settle(2s);
        QVERIFY(working.began(longer));
        QVERIFY(!party.exists(party.layout.done(longer)));
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 40); // by the other slot
        QCOMPARE(claims(party), 1u);
    }

    void whatHasNotBegunIsGivenBackInTime()
    {
        WorkerParty party(2);
        const Working working(party, 1);
        warmUp(party);
        const JobId longer = submit(party, 10s);
        for (int i = 0; i < 10; ++i)
            submit(party, 2ms);
        party.settle(2s);
        QCOMPARE(working.begun(), 11u);
        QCOMPARE(claims(party), 1u); // others may have them
        party.settle(20s);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 21);
        QCOMPARE(party.recordOf(longer).attempt, 1);
    }

    void aPauseCallsThemBack()
    {
        WorkerParty party(2);
        const Working working(party, 1);
        warmUp(party);
        submit(party, 50ms);
        for (int i = 0; i < 10; ++i)
            submit(party, 2ms);
        party.settle(20ms);
        const auto pause = [](QueueSettings &settings) { settings.paused = true; };
        party.run(changeQueue(party[0], party.layout, "default", pause));
        party.settle(10s);
        QCOMPARE(working.begun(), 11u);
        QCOMPARE(claims(party), 0u);
        QCOMPARE(party.ready().size(), 10u);
    }

    void aStopCallsThemBack()
    {
        WorkerParty party(2);
        Working working(party, 1);
        warmUp(party);
        submit(party, 50ms);
        for (int i = 0; i < 10; ++i)
            submit(party, 2ms);
        party.settle(20ms);
        working.worker.stop();
        party.settle(10s);
        QVERIFY(working.ended());
        QCOMPARE(working.begun(), 11u);
        QCOMPARE(claims(party), 0u);
        QCOMPARE(party.ready().size(), 10u);
    }

    // Found by a reader: they began one a second.
    void longOnesThatFollowBeginBesideEachOther_data()
    {
        QTest::addColumn<int>("idle"); // milliseconds between the short ones and the others
        QTest::addColumn<int>("begunWithin");
        QTest::newRow("at once") << 0 << 500;
        QTest::newRow("after a while") << 8000 << 20;
    }
    void longOnesThatFollowBeginBesideEachOther()
    {
        QFETCH(int, idle);
        QFETCH(int, begunWithin);
        WorkerParty party(4);
        std::vector<std::unique_ptr<Working>> working;
        for (int who = 1; who <= 3; ++who)
            working.push_back(std::make_unique<Working>(party, who));
        party.settle(1s);
        for (int i = 0; i < 60; ++i)
            submit(party, 2ms);
        party.settle(500ms);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 60);
        party.settle(std::chrono::milliseconds(idle));
        const std::vector<JobId> longer = submitTogether(party, {3s, 3s, 3s});
        party.settle(std::chrono::milliseconds(begunWithin));
        int running = 0;
        for (const auto &one : working)
            running += one->worker.running();
        QCOMPARE(running, 3);
        party.settle(10s);
        for (const JobId &id : longer) {
            QCOMPARE(party.recordOf(id).number(), 1); // however often it was given back
            QVERIFY(std::any_of(working.begin(), working.end(), [&](const auto &one) { return one->began(id); }));
        }
        for (const auto &one : working) {
            for (const Execution &run : one->witness())
                QCOMPARE(run.attempt, 1);
        }
    }

    // Nobody takes it for one that runs.
    void whatIsClaimedAheadHasNotBegun()
    {
        WorkerParty party(2);
        const Working working(party, 1);
        warmUp(party);
        const std::vector<JobId> both = submitTogether(party, {10s, 10s});
        const JobId second = both.at(1);
        party.settle(20ms);
        QVERIFY(party.isClaimedBy(both.at(0), 1) && party.isClaimedBy(second, 1));
        QVERIFY(party.view(both.at(0)).claim->hasBegun());
        QVERIFY(!party.view(second).claim->hasBegun());
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(sendSignal(party[0], party.layout, second, 10)));
        QVERIFY(!party.exists(party.layout.claim(second))); // nothing was written into a claim that went
        QVERIFY(!working.began(second));
    }

    void whatWasClaimedAheadSaysThatItRuns()
    {
        WorkerParty party(2);
        const Working working(party, 1);
        warmUp(party);
        const JobId longer = submitTogether(party, {50ms, 10s}).at(1);
        party.settle(20ms);
        QVERIFY(party.isClaimedBy(longer, 1));
        QVERIFY(!party.view(longer).claim->hasBegun());
        QCOMPARE(party.run(sendSignal(party[0], party.layout, longer, 10)).from, JobState::Running);
        QVERIFY(working.began(longer));
        QVERIFY(party.view(longer).claim->hasBegun());
        party.settle(100ms);
        QCOMPARE(working.latest().received, std::vector<int>{10});
    }

    void itCostsShortJobsNothing()
    {
        WorkerParty party(2);
        const Working working(party, 1, 2);
        warmUp(party);
        const auto sets = [&] { return party[1].counters().requests; };
        const quint64 before = sets();
        for (int i = 0; i < 200; ++i)
            submit(party, 2ms);
        party.settle(900ms);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 210);
        QVERIFY2(sets() - before < 200 * 2, qPrintable(QString::number(sets() - before)));
    }

    void theDeathOfTheRunnerIsSurvived()
    {
        WorkerParty party(2);
        Working working(party, 1, 2);
        warmUp(party);
        for (int i = 0; i < 40; ++i)
            submit(party, 9ms);
        party.settle(40ms);
        working.killRunner();
        party.settle(1min);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 50);
        QCOMPARE(claims(party), 0u);
        QCOMPARE(atOnce(working.witness()), 2u);
    }
};

QTEST_GUILESS_MAIN(ShortJobsTest)
#include "short_jobs_test.moc"
