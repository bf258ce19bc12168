#include "app/support/drover_on_server.h"

#include <QElapsedTimer>
#include <QTest>

using namespace drover;
using namespace drover::test;

// A client with the password of the role submit, and without a key, fills a queue with unsigned jobs.
class QueueFloodTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    QByteArray m_logged; // by the worker

    // How many of a person's jobs run in some seconds, one after the other.
    int runs() const
    {
        int count = 0;
        QElapsedTimer time;
        time.start();
        while (time.elapsed() < 4'000) {
            const Finished ran = m_cluster.drover.run(words("run -- true"), 60'000);
            count += ran.exitCode == 0 ? 1 : 0;
        }
        return count;
    }

    qsizetype jobsLeft() { return m_cluster.children(m_cluster.layout.queue("default")).size(); }

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase() { m_cluster.stopWorker(m_worker); }
    void jobsOfOthersRunDuringAFlood_data();
    void jobsOfOthersRunDuringAFlood();
};

void QueueFloodTest::initTestCase()
{
    m_cluster.start({"default"});
    m_worker = m_cluster.drover.start(words("worker --slots 2 --id w1"));
    QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    QCOMPARE(m_cluster.drover.run(words("run -- true"), 60'000).exitCode, 0);
}

void QueueFloodTest::jobsOfOthersRunDuringAFlood_data()
{
    QTest::addColumn<int>("priority");
    QTest::addColumn<int>("rate");
    QTest::newRow("before all others") << 0 << 1000;
    QTest::newRow("behind all others") << 9 << 1000;
}

// Without a bound some two jobs ran in a second. Other programs of this machine can slow one look, but
// hardly three in a row by so much, and only while the flood lasts.
void QueueFloodTest::jobsOfOthersRunDuringAFlood()
{
    QFETCH(int, priority);
    QFETCH(int, rate);
    const QString password = QString::fromLatin1(m_cluster.credentials().digestSecret(trust::Role::Submit));
    bool run = false;
    for (int round = 0; round < 3 && !run; ++round) {
        const int before = runs();
        QProcess flood;
        flood.start(QStringLiteral(DROVER_PYTHON),
                    {QStringLiteral("-B"), QStringLiteral(DROVER_HOSTILE_CLIENT), m_cluster.server.connectString(),
                     password, m_cluster.layout.queue("default").toString(), QString::number(priority),
                     QString::number(rate)});
        QVERIFY2(QTest::qWaitFor([&] { return flood.canReadLine(); }, 60'000), flood.readAllStandardError());
        QCOMPARE(flood.readLine(), QByteArray("begun\n"));
        const int during = runs();
        flood.closeWriteChannel();
        QVERIFY(flood.waitForFinished(60'000));
        const QByteArray created = flood.readAllStandardOutput().trimmed();
        QVERIFY2(flood.exitCode() == 0 && created.startsWith("created "), flood.readAllStandardError());
        QTRY_COMPARE_WITH_TIMEOUT(jobsLeft(), 0, 120'000);
        const int after = runs();
        qInfo("%d, %d, %d jobs run before, during and after; the flood has %s", before, during, after,
              created.constData());
        run = 3 * during > std::min(before, after);
    }
    QVERIFY(run);

    // The log is bounded.
    const QByteArray logged = m_worker->readAllStandardError();
    QVERIFY2(logged.count(" is refused: it is not signed") > 0, logged.left(2000));
    QVERIFY2(logged.count('\n') < 1500, QByteArray::number(logged.count('\n')));
    QVERIFY2(logged.contains(" further jobs in this second"), logged.left(2000));
}

QTEST_GUILESS_MAIN(QueueFloodTest)
#include "queue_flood_test.moc"
