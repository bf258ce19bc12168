#include "support/sanitized.h"
#include "support/schedule_range.h"
#include "workers/sim_cluster.h"

#include <QLoggingCategory>
#include <QTest>

#include <functional>

using namespace drover::test;

constexpr quint64 DefaultSchedules = Sanitized ? 100 : 1500;
constexpr int MutantSchedules = Sanitized ? 20 : 100;

// Thousands of seeded schedules of whole clusters (SimCluster) on the in-memory ZooKeeper. A failing seed replays
// exactly: DROVER_SEED=<seed> DROVER_SCHEDULES=1 runs it alone.
class SchedulesTest : public QObject
{
    Q_OBJECT

private:
    struct Totals {
        FaultLog faults;
        SimCluster::Incidents incidents;
        int violating = 0; // schedules
    };

    // What a schedule shows to be wrong, or nothing.
    static QString run(const SimCluster::Options &options, Totals &totals)
    {
        QString wrong;
        SimCluster cluster(options);
        try {
            cluster.run();
            wrong = cluster.violations().join(u'\n');
        } catch (const std::exception &error) {
            wrong = QString::fromUtf8(error.what());
        }
        totals.faults += cluster.faults();
        totals.incidents += cluster.incidents();
        totals.violating += !wrong.isEmpty();
        return wrong;
    }

    // Of so many schedules of a mutant, those that show a violation.
    int violating(const std::function<void(SimCluster::Options &options)> &mutate)
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            mutate(options);
            run(options, totals);
        }
        qInfo("%d of %d schedules show a violation", totals.violating, MutantSchedules);
        return totals.violating;
    }

    static void tell(const Totals &totals, quint64 count)
    {
        const SimCluster::Incidents &all = totals.incidents;
        qInfo(
            "%llu schedules: %ls; %lld stops, %lld deaths of runners, %lld starts refused, %lld jobs given up, %lld "
            "claims of jobs that had waited, %lld of them singletons, %lld waits for locks, %lld pauses, %lld cordons; "
            "%lld reports and %lld writes of zombies refused; %lld ends reported by a later life",
            count, qUtf16Printable(totals.faults.toString()), all.stops, all.runnerDeaths, all.refusals, all.gaveUp,
            all.waited, all.singletons, all.lockWaits, all.pauses, all.cordons, all.rejectedReports, all.refusedWrites,
            all.keptReported);
        qInfo("%lld outages of ZooKeeper; %lld give-backs were left to the next life", all.outages, all.handedOn);
        qInfo("%lld submits found an earlier job with their key", all.deduped);
        qInfo("an operator made %lld changes, %lld of them of tasks and %lld of them cancels, and deposed %lld masters",
              all.changes, all.taskChanges, all.cancels, all.stepdowns);
        qInfo("by hand were deleted %lld claims, %lld jobs, %lld places of idle workers, %lld of members, %lld rounds, "
              "%lld tickets, %lld permits, %lld notes to the master; %lld nodes were left in a queue",
              all.meddled[0], all.meddled[1], all.meddled[2], all.meddled[3], all.meddled[4], all.meddled[5],
              all.meddled[6], all.meddled[7], all.meddled[8]);
        qInfo("%lld runs had waited in the runner for the one before, %lld that were claimed ahead have said that they "
              "run, %lld had permits of limits",
              all.followers, all.saidToRun, all.permits);
        qInfo("%lld arrays ended, %lld of them cancelled on their way and %lld with tasks cancelled before their turn",
              all.arraysDone, all.arraysCancelled, all.arraysSkipped);
        qInfo("%lld rounds of gangs have begun, %lld of them under a limit, %lld were withdrawn, %lld were not the "
              "first, %lld gangs succeeded",
              all.gangRounds, all.gangRoundsLimited, all.gangRoundsWithdrawn, all.gangsAgain, all.gangsSucceeded);
    }

    // Or the run proves nothing.
    static void expectThatAllBit(const Totals &totals)
    {
        const SimCluster::Incidents &all = totals.incidents;
        for (const Fault fault : {Fault::Expire, Fault::Isolate, Fault::Pause, Fault::LoseReply})
            QVERIFY(totals.faults.count(fault) > 0);
        QVERIFY(all.stops > 0);
        QVERIFY(all.runnerDeaths > 0);
        QVERIFY(all.outages > 0 && all.handedOn > 0);
        QVERIFY(all.refusals > 0);
        QVERIFY(all.gaveUp > 0);
        QVERIFY(all.waited > 0);
        QVERIFY(all.singletons > 0);
        QVERIFY(all.pauses > 0);
        QVERIFY(all.followers > 0);
        QVERIFY(all.lockWaits > 0);
        QVERIFY(all.permits > 0);
        QVERIFY(all.saidToRun > 0);
        QVERIFY(all.deduped > 0);
        QVERIFY(all.changes > all.taskChanges && all.taskChanges > 0);
        QVERIFY(all.cancels > 0);
        QVERIFY(all.stepdowns > 0);
        QVERIFY(all.cordons > 0);
        for (const qint64 times : all.meddled)
            QVERIFY(times > 0);
        QVERIFY(all.arraysDone > all.arraysCancelled && all.arraysCancelled > 0);
        QVERIFY(all.arraysSkipped > 0);
        QVERIFY(all.gangsSucceeded > 0 && all.gangsAgain > 0);
        QVERIFY(all.gangRoundsLimited > 0 && all.gangRoundsWithdrawn > 0);
        QVERIFY(all.rejectedReports > 0);
        QVERIFY(all.keptReported > 0);
        QVERIFY(all.refusedWrites > 0);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(
            QStringLiteral("drover.workers.*.info=false\ndrover.workers.attempts.warning=false\n"
                           "drover.workers.admission.warning=false"));
    }

    void nothingIsLostDoubledOrWrittenByZombies()
    {
        const auto [first, count] = scheduleRange(DefaultSchedules);
        Totals totals;
        for (quint64 seed = first; seed < first + count; ++seed) {
            const QString wrong = run(SimCluster::Options::ofSeed(seed), totals);
            QVERIFY2(wrong.isEmpty(), replay(seed, wrong));
        }
        tell(totals, count);
        if (count >= 500)
            expectThatAllBit(totals);
    }

    // No worker is lost, so no job can have lost one.
    void whatNeverRanCostsNoAttempt()
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            options.faults = 0;
            options.kills = false;
            options.sick = true;
            options.fewAttempts = true;
            options.shortJobs = true;
            const QString wrong = run(options, totals);
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(wrong)));
        }
        qInfo("%lld starts were refused", totals.incidents.refusals);
        QVERIFY(totals.incidents.refusals > MutantSchedules);
        QCOMPARE(totals.incidents.gaveUp, 0);
    }

    // No worker is lost, but ZooKeeper is; and workers are told to stop.
    void outagesAndPlannedStopsCostNoAttempt()
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            options.faults = 0;
            options.kills = false;
            options.stops = options.outages = true;
            options.fewAttempts = true;
            const QString wrong = run(options, totals);
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(wrong)));
        }
        qInfo("%lld outages, %lld stops, %lld give-backs by the next life", totals.incidents.outages,
              totals.incidents.stops, totals.incidents.handedOn);
        QVERIFY(totals.incidents.outages > MutantSchedules && totals.incidents.handedOn > MutantSchedules / 2);
        QCOMPARE(totals.incidents.gaveUp, 0);
    }

    void aMutantWithoutFencingIsCaught()
    {
        const int caught = violating([](SimCluster::Options &options) {
            options.faults = 0.08;
            options.fenced = false;
        });
        QVERIFY(caught > 0);
    }

    // Two attempts of one job run when a server is cut from its leader.
    void aMutantThatTakesReadsForProofsIsCaught()
    {
        const int caught = violating([](SimCluster::Options &options) {
            options.faults = 0.08;
            options.readsProve = true;
            options.longJobs = true;
        });
        QVERIFY(caught > 0);
    }

    void aMutantThatUnfoldsFromAnyProgressIsCaught()
    {
        const int caught = violating([](SimCluster::Options &options) {
            options.unfold();
            options.arrayVersions = false;
        });
        // It takes a lost reply, and tasks that end before the next try.
        QVERIFY(caught > MutantSchedules / 50);
    }

    void aMutantWhoseGangsBeginWithTheDeadIsCaught()
    {
        const int caught = violating([](SimCluster::Options &options) {
            options.gangs = true;
            options.gangSessions = false;
        });
        QVERIFY(caught > 0);
    }

    void theSameSeedIsTheSameRun()
    {
        SimCluster::Options options;
        options.seed = 7;
        options.control = options.meddling = options.dedupe = options.arrays = options.gangs = true;
        const auto shape = [&options] {
            SimCluster cluster(options);
            cluster.run();
            return std::pair(cluster.faults().toString(), cluster.trace());
        };
        QCOMPARE(shape(), shape());
    }
};

QTEST_GUILESS_MAIN(SchedulesTest)
#include "schedules_test.moc"
