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

    static JobId submit(WorkerParty &party, std::chrono::milliseconds takes)
    {
        JobSpec spec = JobParty::spec();
        spec.environment.emplace(QStringLiteral("TAKES"), QString::number(takes.count()));
        return party.submit(spec);
    }
    // A worker that knows that jobs are short here.
    static void warmUp(WorkerParty &party)
    {
        for (int i = 0; i < 10; ++i)
            submit(party, 2ms);
        party.settle(1s);
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
