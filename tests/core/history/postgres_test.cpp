#include "core/history/history_suite.h"
#include "core/history/postgres_server.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover::history;
using namespace drover::test;

class PostgresTest : public HistorySuite
{
    Q_OBJECT

    std::unique_ptr<PostgresServer> m_server;
    QString m_database;

    Location place() override { return Location::parse(m_server->url(m_database)); }

    // A reader does not make the index again.
    void runRaw(const char *statement)
    {
        Database database(place(), OpenMode::Read);
        database.open();
        database.exec(QLatin1String(statement));
    }

    static QByteArray failureOf(Store &store)
    {
        try {
            store.archive(batchOf(1, 10));
        } catch (const HistoryError &error) {
            return error.what();
        }
        return {};
    }

private Q_SLOTS:
    void initTestCase() { m_server = std::make_unique<PostgresServer>(); }
    void init() { m_database = m_server->newDatabase(); }
    void cleanupTestCase() { m_server.reset(); }

    void aServerThatWasAwayIsFoundAgain()
    {
        Store own(place(), OpenMode::Write);
        QCOMPARE(own.archive(batchOf(1, 5)), 5);
        m_server->kill9();
        const QByteArray lost = failureOf(own);
        QVERIFY2(lost.contains("the history postgresql://drover@127.0.0.1:"), lost);
        const QByteArray refused = failureOf(own);
        QVERIFY2(refused.contains("cannot open the history") && !refused.contains('\n'), refused);
        m_server->start();
        QCOMPARE(own.archive(batchOf(1, 10)), 5);
        QCOMPARE(own.count({}), 10);
    }

    void anUnsuitableDatabaseIsRefused()
    {
        Store nowhere(Location::parse(m_server->url(QStringLiteral("nowhere"))), OpenMode::Write);
        const QByteArray missing = failureOf(nowhere);
        QVERIFY2(missing.contains("\"nowhere\" does not exist"), missing);

        m_database = m_server->newDatabase(QStringLiteral("ENCODING 'LATIN1' TEMPLATE template0"));
        Store latin(place(), OpenMode::Write);
        const QByteArray encoding = failureOf(latin);
        QVERIFY2(encoding.contains("is encoded as LATIN1"), encoding);
    }

    // Who may only write rows makes no index, and needs none.
    void anIndexThatMayNotBeMadeStopsNothing()
    {
        Store(place(), OpenMode::Write).archive(batchOf(1, 3));
        for (const char *const statement :
             {"DROP INDEX job_worker", "DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk LOGIN",
              "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk"})
            runRaw(statement);
        QString asClerk = m_server->url(m_database);
        asClerk.replace(QStringLiteral("drover@"), QStringLiteral("clerk@"));
        Store own(Location::parse(asClerk), OpenMode::Write);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("without the index job_worker")));
        QCOMPARE(own.archive(batchOf(3, 2)), 1);
        QCOMPARE(numbersOf(own.query({.order = {Order::By::Worker, false}})), (QList<int>{1, 2, 3, 4}));
    }

    void aPasswordIsNotPrinted()
    {
        QString text = m_server->url(QStringLiteral("nowhere"));
        text.replace(QStringLiteral("drover@"), QStringLiteral("drover:secret@"));
        Store own(Location::parse(text), OpenMode::Write);
        const QByteArray failure = failureOf(own);
        QVERIFY2(!failure.isEmpty() && !failure.contains("secret"), failure);
    }
};

QTEST_GUILESS_MAIN(PostgresTest)
#include "postgres_test.moc"
