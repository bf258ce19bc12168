#include "core/history/history_suite.h"

#include <QDateTime>
#include <QSysInfo>
#include <QTest>

namespace drover::test {

using namespace history;
using namespace std::chrono_literals;

void HistorySuite::itSaysWhatItCovers()
{
    Store own(place(), OpenMode::Write);
    own.archive({"default", {Noon}, {}});
    QCOMPARE(own.coverage("default").jobs, 0);
    own.archive(batchOf(1, 5));
    const Coverage coverage = own.coverage("default");
    QCOMPARE(coverage.location, place().display());
    QCOMPARE(coverage.machines, QStringList(QSysInfo::machineHostName()));
    QCOMPARE(coverage.jobs, 5);
    QVERIFY(std::abs(coverage.since.count() - QDateTime::currentMSecsSinceEpoch()) < 60'000);
    QCOMPARE(coverage.first, Noon + 1s);
    QCOMPARE(coverage.last, Noon + 5s);
    QCOMPARE(own.coverage({}).jobs, 5);
    QCOMPARE(own.coverage("other").machines, QStringList());
}

// Of a million rows, too. An older schema keeps no number of rows: they are counted.
void HistorySuite::whatItCoversIsFoundInFewRows()
{
    Store own(place(), OpenMode::Write);
    own.archive(batchOf(1, 5));
    const bool isSqlite = place().engine == Location::Engine::Sqlite;
    const QString numbers = isSqlite
        ? QStringLiteral(
            "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %1) SELECT i FROM n)")
        : QStringLiteral("(SELECT generate_series(1, %1) AS i)");
    const auto addOthers = [&](const char *ended) {
        execRaw(
            QStringLiteral("INSERT INTO job (cluster, made_ms, queue, number, task, attempt, name, state, outcome, "
                           "submitter, worker, ended_ms, wall_ms, cpu_ms, peak_bytes, words, record) "
                           "SELECT 'other', 0, '%1', i, -1, 1, '', '', '', '', '', %1, 0, 0, 0, '', '' FROM %2 AS m")
                .arg(QLatin1String(ended), numbers.arg(Store::MaxSearched)));
    };
    addOthers("1");
    Coverage coverage = own.coverage("default");
    QCOMPARE(coverage.jobs, 5);
    QCOMPARE(coverage.first.count(), 0); // a search for it would read all of the others
    QCOMPARE(coverage.last, Noon + 5s);
    QCOMPARE(own.coverage("other").last.count(), 1);
    addOthers("9999999999999");
    QCOMPARE(own.coverage("default").last.count(), 0);
    QCOMPARE(own.coverage({}).jobs, 5 + 2 * Store::MaxSearched);
    QCOMPARE(own.coverage({}).first.count(), 1);

    execRaw(QStringLiteral("UPDATE tally SET jobs = 7 WHERE cluster = 'default'"));
    QCOMPARE(own.coverage("default").jobs, 7); // not counted
    execRaw(QStringLiteral("DELETE FROM drover_schema WHERE version > 2"));
    QCOMPARE(Store(place(), OpenMode::Read).coverage("default").jobs, 5);
}

} // namespace drover::test
