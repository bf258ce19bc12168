#include "drover_on_server.h"

#include <QDateTime>
#include <QFile>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

// How a worker keeps its spool small, as a user sees it.
class SpoolTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    QString spool() const { return m_drover.directory() + QStringLiteral("/output"); }
    QString outputOf(const QString &id) const { return QStringLiteral("%1/%2.1.out").arg(spool(), id); }

    void startWorker(const char *limits)
    {
        m_worker = m_drover.start(words("worker --id w-1") + words(limits) << QStringLiteral("--spool") << spool());
        QByteArray seen;
        QVERIFY2(waitForMessage(*m_worker, "queues", seen), seen);
    }
    void stopWorker()
    {
        ::kill(static_cast<pid_t>(m_worker->processId()), SIGTERM);
        QCOMPARE(DroverProgram::finish(*m_worker).exitCode, 0);
        m_worker.reset();
    }

    void makeOld(const QString &id, std::chrono::seconds age)
    {
        QFile file(outputOf(id));
        QVERIFY(file.open(QIODevice::ReadWrite));
        const QDateTime then = QDateTime::currentDateTime().addSecs(-age.count());
        QVERIFY(file.setFileTime(then, QFile::FileModificationTime));
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }
    void cleanup()
    {
        if (m_worker)
            stopWorker();
    }

    // It would claim jobs and give them back for ever.
    void aWorkerWithoutADroverRunnerDoesNotStart()
    {
        const QString alone = m_drover.directory() + QStringLiteral("/drover");
        QVERIFY(QFile::copy(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"), alone));
        const Finished refused = m_drover.shell("DROVER_BIN_DIR= ./drover worker");
        QCOMPARE(refused.exitCode, 1);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("install drover-runner beside drover"), refused.err);
        QVERIFY(m_cluster.children(m_cluster.layout.members()).isEmpty());
        QVERIFY(QFile::remove(alone));
    }

    void outputThatWasRemovedIsToldInALine()
    {
        startWorker("--spool-keep 1h");
        QCOMPARE(m_drover.run(words("run -- seq 1 5000")).exitCode, 0);
        stopWorker();
        makeOld(QStringLiteral("default-0"), 24h);

        startWorker("--spool-keep 1h");
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(outputOf(QStringLiteral("default-0"))), 60'000);
        const Finished logs = m_drover.run(words("logs default-0"));
        QCOMPARE(logs.exitCode, 0);
        QVERIFY2(logs.complainsOnce() && logs.err.contains("it was removed (worker --spool-keep"), logs.err);
        QVERIFY(logs.out.size() == 4096 && logs.out.endsWith("\n5000\n")); // of the record
    }

    // Of two outputs of 24 KB the older one goes.
    void theOldestGoesWhereThereIsTooMuch()
    {
        startWorker("--spool-size 1G");
        QString ids[2];
        for (int i = 0; i < 2; ++i) {
            const Finished submitted = m_drover.run(words("submit -- seq 1 5000"));
            ids[i] = QString::fromUtf8(submitted.out.trimmed());
            QCOMPARE(m_drover.run(words("wait") << ids[i]).exitCode, 0);
        }
        stopWorker();
        makeOld(ids[0], 5min);
        makeOld(ids[1], 4min);

        startWorker("--spool-size 30K");
        QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(outputOf(ids[0])), 60'000);
        QVERIFY(QFile::exists(outputOf(ids[1])));
        QCOMPARE(m_drover.run(words("logs") << ids[1]).out.size(), 23'893);
    }
};

QTEST_GUILESS_MAIN(SpoolTest)
#include "spool_test.moc"
