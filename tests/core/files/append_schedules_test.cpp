#include "core/files/append_sim.h"
#include "support/sanitized.h"
#include "support/schedule_range.h"

#include <QTest>

#include <csignal>

using namespace drover::test;

constexpr quint64 DefaultSchedules = Sanitized ? 50 : 1000;
constexpr quint64 MutantSchedules = 100;

// Seeded schedules of the append. A failing seed replays exactly: DROVER_SEED=<seed> DROVER_SCHEDULES=1 runs it alone.
class AppendSchedulesTest : public QObject
{
    Q_OBJECT

    static QString run(AppendSim &sim)
    {
        try {
            return sim.run();
        } catch (const std::exception &error) {
            return QString::fromUtf8(error.what());
        }
    }

private Q_SLOTS:
    void initTestCase() { std::signal(SIGXFSZ, SIG_IGN); } // then such a write fails

    void everyRecordIsThereWholeAndOnce()
    {
        const auto [first, count] = scheduleRange(DefaultSchedules);
        FaultLog faults;
        qint64 deposed = 0;
        qint64 late = 0;
        qint64 torn = 0;
        qint64 unsettled = 0;
        qint64 refused = 0;
        for (quint64 seed = first; seed < first + count; ++seed) {
            AppendSim::Options options;
            options.seed = seed;
            options.faults = seed % 3 == 0 ? 0.15 : 0.05;
            AppendSim sim(options);
            const QString wrong = run(sim);
            QVERIFY2(wrong.isEmpty(), replay(seed, wrong));
            faults += sim.faults();
            deposed += sim.deposed();
            late += sim.lateWrites();
            torn += sim.tornWrites();
            unsettled += sim.unsettled();
            refused += sim.refused();
        }
        qInfo("%llu schedules: %ls; %lld late and %lld torn writes, %lld times deposed", count,
              qUtf16Printable(faults.toString()), late, torn, deposed);
        qInfo("%lld tries found no room for what was reserved, %lld appends failed before", unsettled, refused);
        if (count >= 50) { // or the faults did not bite, and the run proves nothing
            QVERIFY(faults.bitten(Fault::Expire) > 0);
            QVERIFY(faults.bitten(Fault::Pause) > 0);
            QVERIFY(faults.bitten(Fault::LoseReply) > 0);
            QVERIFY(late > 0);
            QVERIFY(unsettled > 0 && refused > 0);
        }
        if (count >= 500) {
            QVERIFY(torn > 0);
            QVERIFY(deposed > 0);
        }
    }

    void aMutantWithoutChecksIsCaught()
    {
        int violating = 0;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed) {
            AppendSim::Options options;
            options.seed = seed;
            options.faults = 0.15;
            options.fenced = false;
            AppendSim sim(options);
            violating += !run(sim).isEmpty();
        }
        qInfo("%d of %llu schedules without checks show a violation", violating, MutantSchedules);
        QVERIFY(violating > 0);
    }
};

QTEST_GUILESS_MAIN(AppendSchedulesTest)
#include "append_schedules_test.moc"
