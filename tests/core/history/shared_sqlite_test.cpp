#include "core/history/history_suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace drover::history;
using namespace drover::test;

// The whole suite on a file as several machines share it: with a rollback
// journal.
class SharedSqliteTest : public HistorySuite
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_directory;

    QString file() const { return m_directory->filePath(QStringLiteral("history.sqlite")); }
    Location place() override { return Location::parse(QStringLiteral("shared:") + file()); }

private Q_SLOTS:
    void init() { m_directory = std::make_unique<QTemporaryDir>(); }

    void itHasNoWriteAheadLog()
    {
        Store own(place(), OpenMode::Write);
        own.archive(batchOf(1, 1));
        QVERIFY(QFile::exists(file()));
        for (const char *const suffix : {"-wal", "-shm"})
            QVERIFY2(!QFile::exists(file() + QLatin1String(suffix)), suffix);
    }

    void aSharedHistoryIsNotOpenedAsALocalOne()
    {
        Store(place(), OpenMode::Write).archive(batchOf(1, 1));
        const Location wrong = Location::parse(file());
        for (const OpenMode access : {OpenMode::Read, OpenMode::Write}) {
            try {
                Store(wrong, access).count({});
                QFAIL("it was opened");
            } catch (const HistoryError &error) {
                QVERIFY2(QByteArray(error.what()).contains("say shared:" + file().toUtf8()), error.what());
            }
        }
        itHasNoWriteAheadLog();
    }

    void theHistoryOfOneMachineCanBeShared()
    {
        Store(Location::parse(file()), OpenMode::Write).archive(batchOf(1, 3));
        Store shared(place(), OpenMode::Write);
        QCOMPARE(shared.archive(batchOf(3, 2)), 1);
        QCOMPARE(shared.count({}), 4);
        itHasNoWriteAheadLog();
    }
};

QTEST_GUILESS_MAIN(SharedSqliteTest)
#include "shared_sqlite_test.moc"
