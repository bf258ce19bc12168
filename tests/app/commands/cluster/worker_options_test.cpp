#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QFileInfo>
#include <QTest>

#include <csignal>

#include <sys/stat.h>

using namespace drover;
using namespace drover::test;

// What a worker lets its jobs do, whatever their submitters ask for.
class WorkerOptionsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    void startWorker(const QString &options)
    {
        m_worker = m_drover.start(words("worker --slots 1") + options.split(u' ', Qt::SkipEmptyParts));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    // Of a shell.
    QByteArray jobPrints(const QString &script) const
    {
        const Finished finished = m_drover.run(words("run -- sh -c") << script);
        return finished.exitCode == 0 ? finished.out : "failed: " + finished.err;
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default"}); }

    void cleanup()
    {
        if (!m_worker)
            return;
        sendSignal(*m_worker, SIGTERM);
        DroverProgram::finish(*m_worker);
        m_worker.reset();
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).isEmpty(), 30'000);
    }

    void jobsGetNoNewPrivileges_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("usually") << QString() << QByteArray("NoNewPrivs:\t1\n");
        QTest::newRow("unless they are allowed to")
            << QStringLiteral("--allow-setuid") << QByteArray("NoNewPrivs:\t0\n");
    }
    void jobsGetNoNewPrivileges()
    {
        QFETCH(QString, options);
        QFETCH(QByteArray, expected);
        startWorker(options);
        QCOMPARE(jobPrints(QStringLiteral("grep NoNewPrivs /proc/self/status")), expected);
    }

    // Not that of the shell which starts the worker.
    void jobsHaveTheWorkersUmask_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QByteArray>("expected");
        QTest::addColumn<int>("folder");
        QTest::addColumn<int>("file");
        QTest::newRow("usually") << QString() << QByteArray("0022\n") << 0755 << 0644;
        QTest::newRow("as it is told") << QStringLiteral("--umask 27") << QByteArray("0027\n") << 0750 << 0640;
    }
    void jobsHaveTheWorkersUmask()
    {
        QFETCH(QString, options);
        QFETCH(QByteArray, expected);
        QFETCH(int, folder);
        QFETCH(int, file);
        const mode_t before = ::umask(0);
        startWorker(options);
        ::umask(before);
        QCOMPARE(jobPrints(QStringLiteral("umask")), expected);

        const QString made = m_drover.directory() + QStringLiteral("/made-%1/out").arg(file);
        const Finished copied = m_drover.run(words("run --stdout") << made << words("-- echo text"));
        QVERIFY2(copied.exitCode == 0, copied.err);
        struct ::stat status {
        };
        QCOMPARE(::stat(qPrintable(made), &status), 0);
        QCOMPARE(int(status.st_mode & 07777), file);
        QCOMPARE(::stat(qPrintable(QFileInfo(made).path()), &status), 0);
        QCOMPARE(int(status.st_mode & 07777), folder);
    }

    void anUmaskIsOctal()
    {
        for (const char *const mask : {"088", "1000", "rwx"}) {
            const Finished refused = m_drover.run(words("worker --umask") << QString::fromLatin1(mask));
            QCOMPARE(refused.exitCode, 2);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("octal"), refused.err);
        }
    }
};

QTEST_GUILESS_MAIN(WorkerOptionsTest)
#include "worker_options_test.moc"
