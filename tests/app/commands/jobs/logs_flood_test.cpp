#include "app/support/drover_on_server.h"
#include "app/support/elsewhere.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

using namespace drover;
using namespace drover::test;

// A worker's output port is flooded while clients on another machine follow the output of a job.
class LogsFloodTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    QTemporaryDir m_directory;
    std::unique_ptr<QProcess> m_worker;
    QString m_job; // numbers its lines

    QString file(const char *name) const { return m_directory.filePath(QLatin1String(name)); }

    // How far the job is: it writes each number to a file as well, under a name that it then moves there.
    qint64 written() const
    {
        QFile number(file("number"));
        return number.open(QIODevice::ReadOnly) ? number.readAll().trimmed().toLongLong() : 0;
    }

    struct Window {
        double followed = 0; // lines that the follower got, for each that the job has written
        int served = 0; // new clients, one after the other
    };
    Window watch(QProcess &follower) const
    {
        follower.readAllStandardOutput();
        const qint64 first = written();
        qint64 got = 0;
        Window window;
        QElapsedTimer time;
        time.start();
        while (time.elapsed() < 3'000) {
            const std::unique_ptr<QProcess> one = startElsewhere(m_cluster.drover, words("logs --tail 1") << m_job);
            const Finished last = DroverProgram::finish(*one);
            window.served += last.exitCode == 0 && !last.out.isEmpty() ? 1 : 0;
            QTest::qWait(0); // the follower's lines come by the event loop
            got += follower.readAllStandardOutput().count('\n');
        }
        window.followed = double(got) / double(std::max<qint64>(1, written() - first));
        return window;
    }

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void aFollowerIsServedDuringAFlood_data();
    void aFollowerIsServedDuringAFlood();
};

void LogsFloodTest::initTestCase()
{
    if (!hasElsewhere())
        QSKIP("unshare --mount is not allowed here: no second machine to be had");
    m_cluster.start({"default"});
    m_cluster.drover.setVariable("DROVER_CREDENTIALS", file("c")); // all see it
    m_cluster.credentials().write(file("c"));
    m_worker = m_cluster.drover.start(words("worker --slots 1 --id w1"));
    QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    const QString script = QStringLiteral("i=0; until test -e go; do i=$((i + 1)); echo $i; echo $i >next; "
                                          "mv next number; sleep 0.02; done");
    m_job = QString::fromUtf8(
        m_cluster.drover.run(words("submit --dir") << m_directory.path() << words("-- sh -c") << script).out.trimmed());
    QTRY_VERIFY_WITH_TIMEOUT(written() > 10, 30'000);
}

void LogsFloodTest::cleanupTestCase()
{
    if (!m_worker)
        return;
    QFile go(file("go"));
    QVERIFY(go.open(QIODevice::WriteOnly));
    QCOMPARE(m_cluster.drover.run(words("wait --timeout 60s") << m_job).exitCode, 0);
    m_cluster.stopWorker(m_worker);
}

void LogsFloodTest::aFollowerIsServedDuringAFlood_data()
{
    QTest::addColumn<QString>("attack");
    QTest::newRow("2,000 silent connections") << QStringLiteral("silent 2000 1000");
    QTest::newRow("2,000 halves of a greeting") << QStringLiteral("hello 2000 1000");
}

// Other programs of this machine can slow one look, but hardly three in a row by half, and only while the flood lasts.
void LogsFloodTest::aFollowerIsServedDuringAFlood()
{
    QFETCH(QString, attack);
    const QString port = m_cluster.json(m_cluster.layout.members() / "w1")[u"endpoint"].toString().section(u':', -1);
    QVERIFY(port.toInt() > 0);
    const std::unique_ptr<QProcess> follower = startElsewhere(m_cluster.drover, words("logs -f --tail 1") << m_job);
    QVERIFY(QTest::qWaitFor([&] { return follower->bytesAvailable() > 0; }, 30'000));
    bool isServed = false;
    for (int round = 0; round < 3 && !isServed; ++round) {
        const Window before = watch(*follower);
        QProcess flood;
        flood.start(QStringLiteral(DROVER_PYTHON),
                    QStringList{QStringLiteral("-Wignore"), QStringLiteral(DROVER_HOSTILE_CLIENT), port}
                        + attack.split(u' '));
        QVERIFY(QTest::qWaitFor([&] { return flood.canReadLine(); }, 60'000));
        QVERIFY(flood.readLine().startsWith("opened "));
        const Window during = watch(*follower);
        QCOMPARE(follower->state(), QProcess::Running);
        flood.closeWriteChannel();
        QVERIFY(flood.waitForFinished(30'000));
        const Window after = watch(*follower);
        qInfo("%.2f, %.2f, %.2f of the lines followed and %d, %d, %d clients served before, during and after",
              before.followed, during.followed, after.followed, before.served, during.served, after.served);
        isServed = 2 * during.followed > std::min(before.followed, after.followed)
            && 2 * during.served > std::min(before.served, after.served);
    }
    QVERIFY(isServed);
    follower->kill();
    follower->waitForFinished();
}

QTEST_GUILESS_MAIN(LogsFloodTest)
#include "logs_flood_test.moc"
