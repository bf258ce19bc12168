#include "core/recipes/schedule.h"
#include "support/sanitized.h"
#include "support/schedule_range.h"

#include <QTest>

#include <algorithm>

using namespace drover::test;

// Every recipe, played by several processes under every fault: see games/game.h. A failing seed is printed and replays
// exactly: DROVER_GAME=<name> DROVER_SEED=<seed> DROVER_SCHEDULES=1 and the argument everyRecipe run it alone.
class SchedulesTest : public QObject
{
    Q_OBJECT

    static constexpr quint64 DefaultSchedules = Sanitized ? 50 : 600; // of each game
    static constexpr quint64 MutantSchedules = 100;

    // What a run of schedules of one game has shown.
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
    static QString play(const GameKind &game, quint64 seed, Totals &totals)
    {
        Schedule schedule(game, seed);
        QStringList wrong;
        try {
            schedule.run();
        } catch (const std::exception &error) {
            wrong.push_back(QString::fromUtf8(error.what()));
        }
        totals.add(schedule);
        return (wrong + schedule.violations()).join(u'\n');
    }

    static quint64 wrongOf(const GameKind &mutant)
    {
        Totals totals;
        for (quint64 seed = 1; seed <= MutantSchedules; ++seed)
            play(mutant, seed, totals);
        qInfo("%llu of %llu schedules of %s are wrong", totals.wrong, MutantSchedules, mutant.name);
        return totals.wrong;
    }

private Q_SLOTS:
    void everyRecipe_data()
    {
        QTest::addColumn<GameKind>("game");
        const QByteArray only = qgetenv("DROVER_GAME");
        for (const GameKind &game : allGames()) {
            if (only.isEmpty() || only == game.name)
                QTest::newRow(game.name) << game;
        }
    }
    void everyRecipe()
    {
        QFETCH(GameKind, game);
        const auto [first, count] = scheduleRange(DefaultSchedules);
        Totals totals;
        for (quint64 seed = first; seed < first + count; ++seed) {
            const QString wrong = play(game, seed, totals);
            QVERIFY2(wrong.isEmpty(),
                     qPrintable(QStringLiteral("%1\nagain: DROVER_GAME='%2' DROVER_SEED=%3 "
                                               "DROVER_SCHEDULES=1")
                                    .arg(wrong, QString::fromUtf8(game.name))
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
        for (int fault = 1; fault < FaultKinds; ++fault)
            QVERIFY2(totals.faults.counts[static_cast<std::size_t>(fault)] > 0, name(static_cast<Fault>(fault)));
        QVERIFY(all.lostSessions > 0);
        QVERIFY(all.refusedWrites > 0 || !game.fenced);
    }

    void aLockWithoutFenceIsCaught() { QVERIFY(wrongOf(unfencedLock()) > 0); }
    void aCounterWithoutReceiptsIsCaught() { QVERIFY(wrongOf(counterWithoutReceipts()) > 0); }

    void theSameSeedIsTheSameRun()
    {
        for (const GameKind &game : allGames()) {
            const auto traceOf = [&game](quint64 seed) {
                Schedule schedule(game, seed);
                schedule.run();
                return schedule.trace();
            };
            QVERIFY2(traceOf(7) == traceOf(7), game.name);
        }
    }

    void namesThatNobodyPlays()
    {
        const QByteArray only = qgetenv("DROVER_GAME");
        const std::vector<GameKind> games = allGames();
        const auto isIt = [&](const GameKind &game) { return only == game.name; };
        QVERIFY2(only.isEmpty() || std::any_of(games.begin(), games.end(), isIt), "DROVER_GAME names no game");
    }
};

QTEST_GUILESS_MAIN(SchedulesTest)
#include "schedules_test.moc"
