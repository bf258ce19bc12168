#include "core/history/history_suite.h"

#include <QTest>

#include <random>
#include <thread>

namespace drover::test {

using namespace history;
using namespace std::chrono_literals;

namespace {

ArchiveBatch batchOf(int first, int count, qint64 epoch)
{
    ArchiveBatch batch = test::batchOf(first, count);
    batch.term.masterToken = epoch;
    return batch;
}

} // namespace

void HistorySuite::undoLatestSchema()
{
    const bool isSqlite = place().engine == Location::Engine::Sqlite;
    for (const char *trigger : {"job_counted", "job_discounted", "job_emptied"})
        execRaw((isSqlite ? QStringLiteral("DROP TRIGGER IF EXISTS %1") : QStringLiteral("DROP TRIGGER %1 ON job"))
                    .arg(QLatin1String(trigger)));
    if (!isSqlite) {
        execRaw(QStringLiteral("DROP FUNCTION drover_tally"));
        execRaw(QStringLiteral("DROP INDEX job_name"));
        execRaw(QStringLiteral("CREATE INDEX job_name ON job (name, ended_ms)"));
    }
    execRaw(QStringLiteral("DROP TABLE tally"));
    execRaw(QStringLiteral("DELETE FROM drover_schema WHERE version = 3"));
}

void HistorySuite::aLaterMasterShutsOutAnEarlierOne()
{
    Store early(place(), OpenMode::Write);
    Store late(place(), OpenMode::Write);
    QCOMPARE(early.archive(batchOf(1, 1, 10)), 1);
    QCOMPARE(late.archive(batchOf(2, 1, 20)), 1);
    QVERIFY_THROWS_EXCEPTION(StaleMaster, early.archive(batchOf(3, 2, 10)));
    QVERIFY_THROWS_EXCEPTION(StaleMaster, early.archive(batchOf(3, 0, 19)));
    QCOMPARE(late.count({}), 2); // nothing of it is there
    QCOMPARE(late.archive(batchOf(3, 2, 20)), 2);
    QCOMPARE(early.archive(batchOf(5, 1)), 1); // no master's
    QCOMPARE(early.archive(batchOf(6, 1, 21)), 1);

    ArchiveBatch anew = batchOf(1, 1, 1);
    anew.term.clusterMade += 1s; // another ensemble, which counts from the beginning
    QCOMPARE(late.archive(anew), 1);
    ArchiveBatch other = batchOf(1, 1, 1);
    other.cluster = "other";
    QCOMPARE(late.archive(other), 1);
}

void HistorySuite::anEarlierMasterRemovesNothing()
{
    const ArchiveBatch batch = batchOf(1, 5, 20);
    const Retention three{.keepJobs = 3};
    Store own(place(), OpenMode::Write);
    own.archive(batch);
    QVERIFY_THROWS_EXCEPTION(StaleMaster, own.prune("default", three, Term{batch.term.clusterMade, 19}));
    QCOMPARE(own.count({}), 5);
    QCOMPARE(own.prune("default", three, Term{batch.term.clusterMade, 20}), 2);
    QCOMPARE(own.count({}), 3);
}

// So that a cluster whose masters are not updated yet goes on archiving.
void HistorySuite::aReaderLeavesAnOlderSchemaAsItIs()
{
    Store(place(), OpenMode::Write).archive(batchOf(1, 1));
    undoLatestSchema();
    Store reader(place(), OpenMode::Read);
    QCOMPARE(reader.count({}), 1);
    QCOMPARE(reader.coverage({}).jobs, 1);
    Database database(place(), OpenMode::Read);
    database.open();
    QSqlQuery schema = database.exec(QStringLiteral("SELECT MAX(version) FROM drover_schema"));
    QVERIFY(schema.next());
    QCOMPARE(schema.value(0).toInt(), 2);
    schema.finish();
    Store writer(place(), OpenMode::Write); // brings it up to date
    QCOMPARE(writer.archive(batchOf(2, 1, 10)), 1);
    QCOMPARE(writer.prune("default", {.keepJobs = 1}), 1); // what was there is counted
}

// Each refuses itself exactly when a greater epoch has been committed before
// it: in the order of the commits, epochs never fall. Who is refused adds
// nothing.
void HistorySuite::mastersOfManyEpochsArchiveAtTheSameTime()
{
    constexpr int Masters = 4;
    constexpr int Rounds = 15;
    std::atomic<qint64> added{0};
    std::atomic<int> refused{0};
    std::atomic<int> errors{0};
    std::vector<std::thread> threads;
    const Location location = place();
    for (int master = 0; master < Masters; ++master) {
        threads.emplace_back([&, master] {
            std::mt19937 random(static_cast<unsigned>(master));
            Store own(location, OpenMode::Write);
            for (int round = 0; round < Rounds; ++round) {
                const int epoch = 1 + static_cast<int>(random() % 1000);
                try { // the epoch is the number of what it archives
                    added += own.archive(batchOf(epoch, 1, epoch));
                } catch (const StaleMaster &) {
                    ++refused;
                } catch (const HistoryError &error) {
                    qWarning("%s", error.what());
                    ++errors;
                }
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(errors.load(), 0);
    QVERIFY(refused.load() > 0);

    Database database(location, OpenMode::Read);
    database.open();
    QSqlQuery rows = database.exec(QStringLiteral("SELECT number FROM job ORDER BY seq"));
    qint64 count = 0;
    int last = 0;
    while (rows.next()) {
        const int epoch = rows.value(0).toInt();
        QVERIFY2(epoch > last, qPrintable(QStringLiteral("%1 after %2").arg(epoch).arg(last)));
        last = epoch;
        ++count;
    }
    QCOMPARE(count, added.load());
    QSqlQuery kept = database.exec(QStringLiteral("SELECT epoch FROM master"));
    QVERIFY(kept.next());
    QCOMPARE(kept.value(0).toInt(), last);
}

} // namespace drover::test
