#include "core/recipes/schedule.h"
#include "support/sanitized.h"
#include "support/schedule_range.h"

#include <QTest>

#include <algorithm>

using namespace drover;
using namespace drover::test;

// Every recipe, run by several processes under every fault: see workload.h. A failing seed is printed and replays
// exactly: DROVER_WORKLOAD=<name> DROVER_SEED=<seed> DROVER_SCHEDULES=1 and the argument everyRecipe run it alone.
class SchedulesTest : public QObject
{
    Q_OBJECT

    static constexpr quint64 DefaultSchedules = Sanitized ? 50 : 600; // of each workload
    static constexpr quint64 MutantSchedules = 100;

    // What a run of schedules of one workload has shown.
    struct Totals {
        FaultLog faults;
        Schedule::Incidents incidents;
        quint64 wrong = 0; // schedules

        void add(const Schedule &schedule)
        {
            faults += schedule.faults();
            incidents.held += schedule.incidents().held;
            incidents.lostSessions += schedule.incidents().lostSessions;
            incidents.refusedWrites += schedule.incidents().refusedWrites;
            wrong += !schedule.violations().isEmpty();
        }
    };

    // What is wrong with a schedule, or nothing.
    static QString run(const WorkloadKind &workload, quint64 seed, Totals &totals)
    {
        Schedule schedule(workload, seed);
        QStringList wrong;
        try {
            schedule.run();
        } catch (const std::exception &error) {
            wrong.push_back(QString::fromUtf8(error.what()));
        }
        totals.add(schedule);
        return (wrong + schedule.violations()).join(u'\n');
    }

    static WorkloadKind workload(const char *name)
    {
        const std::vector<WorkloadKind> all = allWorkloads();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [name](const WorkloadKind &kind) { return qstrcmp(kind.name, name) == 0; });
        return found != all.end() ? *found : throw std::invalid_argument(name);
    }
    // Runs the workload in sessions that read where they should sync.
    static WorkloadKind withoutSync(WorkloadKind kind)
    {
        kind.session.sabotage = [](zk::Request &request) {
            if (const auto *const sync = std::get_if<zk::SyncRequest>(&request))
                request = zk::ExistsRequest{sync->path};
        };
        return kind;
    }
    // Runs the workload in sessions whose aliveUntil() moves on with any answer, as if each proved that they live.
    static WorkloadKind withoutLease(WorkloadKind kind)
    {
        kind.session.readsProve = true;
        kind.isolations = 0.05;
        return kind;
    }

private Q_SLOTS:
    void everyRecipe_data()
    {
        QTest::addColumn<WorkloadKind>("workload");
        const QByteArray only = qgetenv("DROVER_WORKLOAD");
        for (const WorkloadKind &workload : allWorkloads()) {
            if (only.isEmpty() || only == workload.name)
                QTest::newRow(workload.name) << workload;
        }
    }
    void everyRecipe()
    {
        QFETCH(WorkloadKind, workload);
        const auto [first, count] = scheduleRange(DefaultSchedules);
        Totals totals;
        for (quint64 seed = first; seed < first + count; ++seed) {
            const QString wrong = run(workload, seed, totals);
            QVERIFY2(wrong.isEmpty(),
                     qPrintable(QStringLiteral("%1\nagain: DROVER_WORKLOAD='%2' DROVER_SEED=%3 "
                                               "DROVER_SCHEDULES=1")
                                    .arg(wrong, QString::fromUtf8(workload.name))
                                    .arg(seed)));
        }
        const Schedule::Incidents &all = totals.incidents;
        qInfo("%llu schedules: %ls; %lld times held, %lld sessions lost, %lld late writes refused", count,
              qUtf16Printable(totals.faults.toString()), all.held, all.lostSessions, all.refusedWrites);
        if (count < 50)
            return;
        // Or the faults did not bite, and the run proves nothing.
        QVERIFY(totals.faults.total() > 0);
        QVERIFY(all.held > 0);
        if (count < 600)
            return;
        QCOMPARE(totals.faults.toothless(), QStringList());
        QVERIFY(all.lostSessions > 0);
        QVERIFY(all.refusedWrites > 0 || !workload.fenced);
    }

    // Each lacks one thing that the recipes rely on. The checker finds what that leads to.
    void aBrokenVariantIsCaught_data()
    {
        QTest::addColumn<WorkloadKind>("variant");
        QTest::addColumn<QString>("violation");
        const auto add = [](const char *name, const WorkloadKind &variant, const char *violation) {
            QTest::newRow(name) << variant << QString::fromUtf8(violation);
        };
        add("a write without its fence", unfencedLock(), "a deposed holder's write was accepted");
        add("a release before the work is done", earlyRelease(), "too many may believe at once");
        add("a grant that is not waited for", lockWithoutWaiting(), "too many may believe at once");
        add("a counter without receipts", counterWithoutReceipts(), "which contradicts");
        for (const char *name : {"Mutex", "SimpleLock", "LeaderLatch campaign", "Master"})
            add(qPrintable(QStringLiteral("%1 without a lease").arg(QLatin1StringView(name))),
                withoutLease(workload(name)), "too many may believe at once");
        for (const char *name : {"Mutex by session", "Semaphore", "LeaderSelector"})
            add(qPrintable(QStringLiteral("%1 without a sync").arg(QLatin1StringView(name))),
                withoutSync(workload(name)), "a process waits for ever");
        add("Barrier without a sync", withoutSync(workload("Barrier")), "a process came through a closed barrier");
        add("DoubleBarrier without a sync", withoutSync(workload("DoubleBarrier")),
            "a process is out before the others left");
    }
    void aBrokenVariantIsCaught()
    {
        QFETCH(WorkloadKind, variant);
        QFETCH(QString, violation);
        Totals totals;
        int caught = 0;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed)
            caught += run(variant, seed, totals).contains(violation) ? 1 : 0;
        qInfo("%d of %llu schedules are wrong in this way, %llu in any", caught, MutantSchedules, totals.wrong);
        QVERIFY(caught > 0);
    }

    void theSameSeedIsTheSameRun()
    {
        for (const WorkloadKind &workload : allWorkloads()) {
            const auto traceOf = [&workload](quint64 seed) {
                Schedule schedule(workload, seed);
                schedule.run();
                return schedule.trace();
            };
            QVERIFY2(traceOf(7) == traceOf(7), workload.name);
        }
    }

    void theNamedWorkloadExists()
    {
        const QByteArray only = qgetenv("DROVER_WORKLOAD");
        const std::vector<WorkloadKind> workloads = allWorkloads();
        const auto isIt = [&](const WorkloadKind &workload) { return only == workload.name; };
        QVERIFY2(only.isEmpty() || std::any_of(workloads.begin(), workloads.end(), isIt),
                 "DROVER_WORKLOAD names no workload");
    }
};

QTEST_GUILESS_MAIN(SchedulesTest)
#include "schedules_test.moc"
