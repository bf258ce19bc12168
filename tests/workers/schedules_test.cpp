#include "workers/sim_cluster.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover::test;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr quint64 DefaultSchedules = 200; // each takes ten times as long
#else
constexpr quint64 DefaultSchedules = 5000;
#endif
constexpr int MutantSchedules = 100;

// Thousands of seeded schedules of lock, election and claim on the in-memory ZooKeeper. A failing seed replays exactly:
// DROVER_SEED=<seed> DROVER_SCHEDULES=1 runs it alone.
class SchedulesTest : public QObject
{
    Q_OBJECT

private:
    static quint64 number(const char *variable, quint64 fallback)
    {
        bool ok = false;
        const quint64 value = qEnvironmentVariable(variable).toULongLong(&ok);
        return ok ? value : fallback;
    }

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
        totals.faults.operations += cluster.faults().operations;
        for (std::size_t i = 0; i < totals.faults.counts.size(); ++i)
            totals.faults.counts[i] += cluster.faults().counts[i];
        const SimCluster::Incidents one = cluster.incidents();
        totals.incidents.stops += one.stops;
        totals.incidents.runnerDeaths += one.runnerDeaths;
        totals.incidents.gaveUp += one.gaveUp;
        totals.incidents.waited += one.waited;
        totals.incidents.singletons += one.singletons;
        totals.incidents.pauses += one.pauses;
        totals.incidents.cordons += one.cordons;
        totals.incidents.followers += one.followers;
        totals.incidents.lockWaits += one.lockWaits;
        totals.incidents.changes += one.changes;
        totals.incidents.claimsDeleted += one.claimsDeleted;
        totals.incidents.rejectedReports += one.rejectedReports;
        totals.incidents.keptReported += one.keptReported;
        totals.incidents.refusedWrites += one.refusedWrites;
        totals.incidents.gangRounds += one.gangRounds;
        totals.incidents.gangsAgain += one.gangsAgain;
        totals.incidents.gangRoundsWithdrawn += one.gangRoundsWithdrawn;
        totals.incidents.gangRoundsLimited += one.gangRoundsLimited;
        totals.incidents.gangsSucceeded += one.gangsSucceeded;
        totals.incidents.arraysDone += one.arraysDone;
        totals.incidents.arraysCancelled += one.arraysCancelled;
        totals.violating += !wrong.isEmpty();
        return wrong;
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*.info=false")); }

    void nothingIsLostDoubledOrWrittenByZombies()
    {
        const quint64 first = number("DROVER_SEED", 1);
        const quint64 count = number("DROVER_SCHEDULES", DefaultSchedules);
        Totals totals;
        for (quint64 seed = first; seed < first + count; ++seed) {
            const QString wrong = run(SimCluster::Options::ofSeed(seed), totals);
            QVERIFY2(wrong.isEmpty(),
                     qPrintable(QStringLiteral("%2\nagain: DROVER_SEED=%1 DROVER_SCHEDULES=1").arg(seed).arg(wrong)));
        }
        const SimCluster::Incidents &all = totals.incidents;
        qInfo("%llu schedules: %ls; %lld stops, %lld deaths of runners, %lld jobs given up, %lld claims of jobs that "
              "had waited, %lld of them singletons, %lld changes by an operator, %lld waits for locks, %lld pauses, "
              "%lld cordons, %lld claims "
              "deleted by hand, %lld arrays "
              "ended and %lld more were cancelled on their way; %lld reports and %lld writes of zombies refused; "
              "%lld ends reported by a later life",
              count, qUtf16Printable(totals.faults.toString()), all.stops, all.runnerDeaths, all.gaveUp, all.waited,
              all.singletons, all.changes, all.lockWaits, all.pauses, all.cordons, all.claimsDeleted,
              all.arraysDone - all.arraysCancelled, all.arraysCancelled, all.rejectedReports, all.refusedWrites,
              all.keptReported);
        qInfo("%lld runs had waited in the runner for the one before", all.followers);
        qInfo("%lld rounds of gangs have begun, %lld of them under a limit, %lld were withdrawn, %lld were not the "
              "first, %lld gangs succeeded",
              all.gangRounds, all.gangRoundsLimited, all.gangRoundsWithdrawn, all.gangsAgain, all.gangsSucceeded);
        if (count >= 200) { // or the faults did not bite, and the run proves nothing
            QVERIFY(totals.faults.count(Fault::Expire) > 0);
            QVERIFY(totals.faults.count(Fault::Pause) > 0);
            QVERIFY(totals.faults.count(Fault::LoseReply) > 0);
            QVERIFY(all.stops > 0);
            QVERIFY(all.runnerDeaths > 0);
            QVERIFY(all.gaveUp > 0);
            QVERIFY(all.waited > 0);
            QVERIFY(all.singletons > 0);
            QVERIFY(all.pauses > 0);
            QVERIFY(all.followers > 0);
            QVERIFY(all.lockWaits > 0);
            QVERIFY(all.changes > 0);
            QVERIFY(all.claimsDeleted > 0);
            QVERIFY(all.arraysDone > all.arraysCancelled && all.arraysCancelled > 0);
            QVERIFY(all.gangsSucceeded > 0 && all.gangsAgain > 0);
            QVERIFY(all.gangRoundsLimited > 0);
            QVERIFY(all.rejectedReports > 0);
            QVERIFY(all.keptReported > 0);
            QVERIFY(all.refusedWrites > 0);
        }
    }

    void aMutantWithoutFencingIsCaught()
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            options.faults = 0.08;
            options.fenced = false;
            run(options, totals);
        }
        qInfo("%d of %d schedules without fencing show a violation", totals.violating, MutantSchedules);
        QVERIFY(totals.violating > 0);
    }

    void aMutantThatUnfoldsFromAnyProgressIsCaught()
    {
        constexpr int Schedules = 4 * MutantSchedules; // it takes a lost reply and tasks that end before the next try
        Totals totals;
        for (quint64 seed = 1; seed <= Schedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            options.faults = 0.2;
            options.workers = 6;
            options.arrays = true;
            options.shortJobs = true;
            options.arrayVersions = false;
            run(options, totals);
        }
        qInfo("%d of %d schedules without the versions of arrays show a violation", totals.violating, Schedules);
        QVERIFY(totals.violating > 0);
    }

    void aMutantWhoseGangsBeginWithTheDeadIsCaught()
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            options.gangs = true;
            options.gangSessions = false;
            run(options, totals);
        }
        qInfo("%d of %d schedules with places of the dead show a violation", totals.violating, MutantSchedules);
        QVERIFY(totals.violating > 0);
    }

    void theSameSeedIsTheSameRun()
    {
        const auto shape = [](quint64 seed) {
            SimCluster cluster(SimCluster::Options::ofSeed(seed));
            cluster.run();
            return std::pair(cluster.faults().toString(), cluster.trace().size());
        };
        QCOMPARE(shape(7), shape(7));
    }
};

QTEST_GUILESS_MAIN(SchedulesTest)
#include "schedules_test.moc"
