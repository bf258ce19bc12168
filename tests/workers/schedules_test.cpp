#include "support/sanitized.h"
#include "support/schedule_range.h"
#include "workers/sim/sim_cluster.h"

#include <QLoggingCategory>
#include <QTest>

#include <functional>

using namespace drover::test;

constexpr quint64 DefaultSchedules = Sanitized ? 100 : 1500;
constexpr int MutantSchedules = Sanitized ? 20 : 100;
constexpr quint64 MutantTries = 300;

// Thousands of seeded schedules of whole clusters (SimCluster) on the in-memory ZooKeeper. A failing seed replays
// exactly: DROVER_SEED=<seed> DROVER_SCHEDULES=1 runs it alone.
class SchedulesTest : public QObject
{
    Q_OBJECT

private:
    struct Totals {
        FaultLog faults;
        Counts counts;
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
        totals.counts += cluster.counts();
        totals.violating += !wrong.isEmpty();
        return wrong;
    }

    // Whether one of so many schedules of a mutant shows a violation.
    bool isCaught(const std::function<void(SimCluster::Options &options)> &mutate)
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantTries; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            mutate(options);
            run(options, totals);
            if (totals.violating > 0) {
                qInfo("seed %llu shows a violation", seed);
                return true;
            }
        }
        return false;
    }

    static void report(const Totals &totals, quint64 count)
    {
        qInfo("%llu schedules: %ls", count, qUtf16Printable(totals.faults.toString()));
        for (const QString &line : totals.counts.report())
            qInfo("%ls", qUtf16Printable(line));
    }

    // Or the run proves nothing.
    static void expectThatAllHadAnEffect(const Totals &totals)
    {
        QCOMPARE(totals.faults.toothless(), QStringList());
        QCOMPARE(totals.counts.missing(), QStringList());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QLoggingCategory::setFilterRules(
            QStringLiteral("drover.workers.*.info=false\ndrover.workers.machine_health.warning=false\n"
                           "drover.workers.pending_jobs.warning=false"));
    }

    void nothingIsLostDoubledOrWrittenByZombies()
    {
        const auto [first, count] = scheduleRange(DefaultSchedules);
        Totals totals;
        for (quint64 seed = first; seed < first + count; ++seed) {
            const QString wrong = run(SimCluster::Options::ofSeed(seed), totals);
            QVERIFY2(wrong.isEmpty(), replay(seed, wrong));
        }
        report(totals, count);
        if (count >= 500)
            expectThatAllHadAnEffect(totals);
    }

    // No worker is lost, so no job can have lost one.
    void aJobThatNeverRanLosesNoAttempt()
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            options.faults = 0;
            options.variations.remove(variations::Kills);
            options.variations.add(variations::Sick).add(variations::FewAttempts).add(variations::ShortJobs);
            const QString wrong = run(options, totals);
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(wrong)));
        }
        qInfo("%lld starts were refused", totals.counts[variations::RefusedStarts]);
        QVERIFY(totals.counts[variations::RefusedStarts] > MutantSchedules);
        QCOMPARE(totals.counts[variations::GaveUp], 0);
    }

    // ZooKeeper is lost at times, and workers get orders to stop. No worker is lost.
    void outagesAndPlannedStopsCostNoAttempt()
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            SimCluster::Options options;
            options.seed = seed;
            options.faults = 0;
            options.variations.remove(variations::Kills);
            options.variations.add(variations::Stops).add(variations::Outages).add(variations::FewAttempts);
            if (seed % 2 == 0)
                options.variations.add(variations::Gangs);
            const QString wrong = run(options, totals);
            QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(wrong)));
        }
        qInfo("%lld outages, %lld stops, %lld give-backs by the next life, %lld further rounds of gangs",
              totals.counts[variations::OutagesBegun], totals.counts[variations::StoppedWorkers],
              totals.counts[variations::HandedOn], totals.counts[variations::GangsAgain]);
        QVERIFY(totals.counts[variations::OutagesBegun] > MutantSchedules
                && totals.counts[variations::HandedOn] > MutantSchedules / 2);
        QVERIFY(totals.counts[variations::GangsAgain] > MutantSchedules / 10);
        QCOMPARE(totals.counts[variations::GaveUp], 0);
    }

    void aMutantWithoutFencingIsCaught()
    {
        const bool caught = isCaught([](SimCluster::Options &options) {
            options.faults = 0.08;
            options.fenced = false;
        });
        QVERIFY(caught);
    }

    // Two attempts of one job run when a server is cut from its leader.
    void aMutantThatTakesReadsForProofsIsCaught()
    {
        const bool caught = isCaught([](SimCluster::Options &options) {
            options.faults = 0.08;
            options.readsProve = true;
            options.variations.add(variations::LongJobs);
        });
        QVERIFY(caught);
    }

    void aMutantThatExpandsFromAnyProgressIsCaught()
    {
        const bool caught = isCaught([](SimCluster::Options &options) {
            options.expand();
            options.arrayVersions = false;
        });
        // It takes a lost reply, and tasks that end before the next try.
        QVERIFY(caught);
    }

    void aMutantWhoseGangsStartWithLostMembersIsCaught()
    {
        const bool caught = isCaught([](SimCluster::Options &options) {
            options.variations.add(variations::Gangs);
            options.gangSessions = false;
        });
        QVERIFY(caught);
    }

    void theSameSeedIsTheSameRun()
    {
        SimCluster::Options options;
        options.seed = 7;
        for (const Variation *on : {&variations::Control, &variations::Deletions, &variations::Dedupe,
                                    &variations::Arrays, &variations::Gangs})
            options.variations.add(*on);
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
