#include "drover_on_server.h"

#include <QDateTime>
#include <QFile>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// How a worker keeps its spool small, as a user sees it.
class SpoolTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    QString spool() const { return m_drover.directory() + QStringLiteral("/output"); }
    QString output() const { return spool() + QStringLiteral("/default-0.1.out"); }

    void startWorker()
    {
        m_worker = m_drover.start(words("worker --id w-1 --spool-keep 1h --spool") << spool());
        QByteArray seen;
        QVERIFY2(waitForMessage(*m_worker, "queues", seen), seen);
    }
    void stopWorker()
    {
        ::kill(static_cast<pid_t>(m_worker->processId()), SIGTERM);
        QCOMPARE(DroverProgram::finish(*m_worker).exitCode, 0);
        m_worker.reset();
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }
    void cleanup()
    {
        if (m_worker)
            stopWorker();
    }

    void outputThatWasRemovedIsToldInALine()
    {
        startWorker();
        QCOMPARE(m_drover.run(words("run -- seq 1 5000")).exitCode, 0);
        stopWorker();
        QFile file(output());
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-1), QFile::FileModificationTime));
        file.close();

        startWorker();
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(output()), 60'000);
        const Finished logs = m_drover.run(words("logs default-0"));
        QCOMPARE(logs.exitCode, 0);
        QVERIFY2(logs.complainsOnce() && logs.err.contains("it was removed (worker --spool-keep"), logs.err);
        QVERIFY(logs.out.size() == 4096 && logs.out.endsWith("\n5000\n")); // of the record
    }
};

QTEST_GUILESS_MAIN(SpoolTest)
#include "spool_test.moc"
