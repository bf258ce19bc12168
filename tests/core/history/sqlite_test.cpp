#include "core/history/history_suite.h"

#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <thread>

using namespace drover::history;
using namespace drover::test;

class SqliteTest : public HistorySuite
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_directory;

    QString file() const { return m_directory->filePath(QStringLiteral("history.sqlite")); }
    Location place() override { return Location::parse(file()); }

    static QByteArray failureOf(const QString &path)
    {
        try {
            Store(Location::parse(path), OpenMode::Write).archive(batchOf(1, 1));
        } catch (const HistoryError &error) {
            return error.what();
        }
        return {};
    }

private Q_SLOTS:
    void init() { m_directory = std::make_unique<QTemporaryDir>(); }

    void theFileIsItsOwnersAlone()
    {
        Store own(place(), OpenMode::Write);
        own.archive(batchOf(1, 1));
        const QFile::Permissions others(QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther);
        for (const char *suffix : {"", "-wal", "-shm"}) {
            const QFile part(file() + QLatin1String(suffix));
            QVERIFY2(part.exists(), suffix);
            QVERIFY2(!(part.permissions() & others), suffix);
        }
    }

    // Two who make the file at the same time: SQLite itself tells one of them at once that it is locked.
    void aCreatorWaitsForAnotherCreator()
    {
        const auto other = QStringLiteral("another maker");
        QSqlDatabase first = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), other);
        first.setDatabaseName(file());
        QVERIFY(first.open());
        QVERIFY(QSqlQuery(first).exec(QStringLiteral("BEGIN IMMEDIATE")));
        std::atomic<bool> ended{false};
        QByteArray failure;
        std::thread second([&] {
            failure = failureOf(file());
            ended = true;
        });
        const bool endedAtOnce = QTest::qWaitFor([&] { return ended.load(); }, 300);
        const bool committed = QSqlQuery(first).exec(QStringLiteral("COMMIT"));
        second.join();
        first = QSqlDatabase();
        QSqlDatabase::removeDatabase(other);
        QVERIFY2(failure.isEmpty(), failure);
        QVERIFY(!endedAtOnce && committed);
    }

    void aFileThatWasMovedIsNotWrittenOn()
    {
        Store own(place(), OpenMode::Write);
        own.archive(batchOf(1, 2));
        const QString moved = m_directory->filePath(QStringLiteral("moved.sqlite"));
        QVERIFY(QFile::rename(file(), moved));
        QVERIFY_THROWS_EXCEPTION(HistoryError, own.archive(batchOf(3, 1)));
        QCOMPARE(own.archive(batchOf(3, 1)), 1); // into another in its place
        QCOMPARE(Store(place(), OpenMode::Read).count({}), 1);
        QCOMPARE(Store(Location::parse(moved), OpenMode::Read).count({}), 2); // whole
    }

    void aReaderMakesNoFile()
    {
        QVERIFY_THROWS_EXCEPTION(NoHistory, Store(place(), OpenMode::Read).count({}));
        QVERIFY(!QFile::exists(file()));
    }

    void aForeignDatabaseIsRefused()
    {
        const QByteArray noDirectory = failureOf(m_directory->filePath(QStringLiteral("none/history.sqlite")));
        QVERIFY2(noDirectory.contains("cannot make the history") && noDirectory.contains("No such file"), noDirectory);
        QVERIFY(!failureOf(m_directory->path()).isEmpty());

        QFile text(m_directory->filePath(QStringLiteral("text")));
        QVERIFY(text.open(QIODevice::WriteOnly));
        const QByteArray content(5000, 'x');
        text.write(content);
        text.close();
        const QByteArray noDatabase = failureOf(text.fileName());
        QVERIFY2(noDatabase.contains("not a database"), noDatabase);
        QVERIFY(text.open(QIODevice::ReadOnly));
        QCOMPARE(text.readAll(), content);
    }

    void anotherDatabaseIsLeftAlone()
    {
        {
            Database other(place(), OpenMode::Write);
            other.open();
            other.exec(QStringLiteral("DROP TABLE drover_schema"));
        }
        // The database has a table "job" that is not marked as part of a history. Migrating fails and changes nothing.
        const QByteArray failure = failureOf(file());
        QVERIFY2(failure.contains("already exists"), failure);
        QVERIFY2(failureOf(file()).contains("already exists"), "the second time it was taken for a history");
    }
};

QTEST_GUILESS_MAIN(SqliteTest)
#include "sqlite_test.moc"
