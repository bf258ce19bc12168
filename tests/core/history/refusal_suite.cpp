#include "core/history/history_suite.h"

#include <QTest>

#include <random>

namespace drover::test {

using namespace history;

void HistorySuite::forbid(const char *column, const char *text)
{
    const bool isSqlite = place().engine == Location::Engine::Sqlite;
    const QString rule = isSqlite ? QStringLiteral("CREATE TRIGGER forbidden BEFORE INSERT ON job WHEN new.%1 LIKE "
                                                   "'%%2%' BEGIN SELECT RAISE(ABORT, 'forbidden'); END")
                                  : QStringLiteral("ALTER TABLE job ADD CHECK (%1 NOT LIKE '%%2%') NOT VALID");
    execRaw(rule.arg(QLatin1String(column), QLatin1String(text)));
}

// PostgreSQL's index took 2,704 bytes. A longer name stopped the archiving of all records.
void HistorySuite::aLongNameOfManyCharactersIsArchivedAndFound()
{
    std::mt19937 random(1);
    QString name;
    for (int i = 0; i < 1024; ++i)
        name += QChar(0x4e00 + static_cast<int>(random() % 20000));
    ArchiveBatch batch = batchOf(1, 25);
    batch.entries[12].record.name = name;
    Store own(place(), OpenMode::Write);
    QCOMPARE(own.archive(batch), 25);
    QCOMPARE(numbersOf(own.query({.name = name})), QList<int>{13});
    QCOMPARE(own.count({.name = name.left(1000)}), 0);
    QCOMPARE(own.count({.name = name.left(1000) + u'*'}), 1);
}

void HistorySuite::aRecordThatIsRefusedStopsNoOther_data()
{
    QTest::addColumn<QByteArray>("column");
    QTest::addColumn<QString>("nameLeft"); // in its record
    QTest::newRow("for its name") << QByteArray("name") << QStringLiteral("forbidden");
    QTest::newRow("for its record") << QByteArray("record") << QString();
}
void HistorySuite::aRecordThatIsRefusedStopsNoOther()
{
    QFETCH(QByteArray, column);
    QFETCH(QString, nameLeft);
    Store own(place(), OpenMode::Write);
    own.archive(batchOf(1, 1));
    forbid(column, "forbidden");
    ArchiveBatch batch = batchOf(1, 40);
    batch.entries[20].record.name = QStringLiteral("forbidden");
    batch.entries[20].record.code = 3;
    QCOMPARE(own.archive(batch), 39);
    QCOMPARE(own.archive(batch), 0);
    QCOMPARE(own.count({.name = QStringLiteral("forbidden")}), 0); // by that it is not found
    const Page page = own.query({.ids = {batch.entries[20].record.id}});
    QCOMPARE(page.entries.size(), 1u);
    QCOMPARE(page.entries[0].record.name, nameLeft);
    QCOMPARE(page.entries[0].record.code, 3);
    QCOMPARE(page.entries[0].record.finishedAt, batch.entries[20].record.finishedAt);
}

void HistorySuite::aRecordThatIsRefusedWithoutItsTextsStopsNoOther()
{
    Store own(place(), OpenMode::Write);
    own.archive(batchOf(1, 1));
    forbid("queue", "forbidden");
    ArchiveBatch batch = batchOf(1, 40);
    batch.entries[20].record.id.queue = "forbidden";
    QVERIFY_THROWS_EXCEPTION(RecordRefused, own.archive(batch));
    QCOMPARE(own.count({}), 1);
    batch.refused = std::make_shared<Refusals>();
    QCOMPARE(own.archive(batch), 38);
    QCOMPARE(batch.refused->size(), 1u);
    QCOMPARE(batch.refused->front().first, batch.entries[20].record.id);
    QVERIFY(!batch.refused->front().second.isEmpty());
    QCOMPARE(own.count({}), 39);
    QCOMPARE(own.archive(batch), 0);
    QCOMPARE(batch.refused->size(), 1u); // of this call
}

} // namespace drover::test
