#include "app/support/drover_on_server.h"

#include <QProcess>
#include <QTest>

#include <unistd.h>

using namespace drover;
using namespace drover::test;

// The secrets in a worker's environment, and the jobs that it runs as the same user.
class SecretsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    const QTemporaryDir m_own;
    const QTemporaryDir m_programs;

    void startWorker(const QStringList &options)
    {
        m_worker = m_cluster.drover.start(words("worker --slots 1") + options);
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    // The worker has the credentials of the test, and the test a copy: each has to own its file.
    void startWorkerAsUserNobody()
    {
        const QString nobody = QStringLiteral("65534");
        const QString ours = m_own.filePath(QStringLiteral("credentials"));
        m_cluster.credentials().write(ours);
        QProcess chown;
        chown.start(QStringLiteral("chown"), {QStringLiteral("-R"), nobody, m_cluster.drover.directory()});
        QCOMPARE(DroverProgram::finish(chown).exitCode, 0);
        m_worker = std::make_unique<QProcess>();
        m_worker->setProcessEnvironment(m_cluster.drover.environment());
        m_cluster.drover.setVariable("DROVER_CREDENTIALS", ours);
        m_worker->setWorkingDirectory(m_cluster.drover.directory());
        m_worker->start(QStringLiteral("setpriv"),
                        QStringList{QStringLiteral("--reuid"), nobody, QStringLiteral("--regid"), nobody,
                                    QStringLiteral("--clear-groups"), programForAll()}
                            + words("worker --slots 1"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    // A copy of the program, with its runner beside it: root may have built them where no other user may look.
    QString programForAll() const
    {
        for (const QString &name : {QStringLiteral("drover"), QStringLiteral("drover-runner")}) {
            const QString copy = m_programs.filePath(name);
            if (!QFile::copy(qEnvironmentVariable("DROVER_BIN_DIR") + u'/' + name, copy))
                qFatal("cannot write %s", qPrintable(copy));
        }
        QFile::setPermissions(m_programs.path(),
                              QFile::permissions(m_programs.path()) | QFile::ReadOther | QFile::ExeOther);
        return m_programs.filePath(QStringLiteral("drover"));
    }

    QByteArray jobRuns(const QString &script) const
    {
        const Finished finished = m_cluster.drover.run(words("run -- sh -c") << script + QStringLiteral("; echo end"));
        return finished.out.endsWith("end\n") ? finished.out : "it did not end: " + finished.err;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        m_cluster.drover.setVariable("PGPASSWORD", QStringLiteral("hunter2"));
        m_cluster.drover.setVariable("DROVER_SECRET_FOR_TESTS", QStringLiteral("hunter2"));
    }

    void cleanup() { m_cluster.stopWorker(m_worker); }

    void theRunnersEnvironmentHoldsNoSecret_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("the runner is process 1, where the worker is root") << QStringList();
        QTest::newRow("the runner is the parent") << QStringList(QStringLiteral("--host-pids"));
    }
    void theRunnersEnvironmentHoldsNoSecret()
    {
        QFETCH(QStringList, options);
        startWorker(options);
        const QByteArray seen =
            jobRuns(QStringLiteral("echo ppid $PPID; cat /proc/$PPID/environ 2>&1 | tr '\\0' '\\n'"));
        QVERIFY2(seen.startsWith("ppid ") && seen.endsWith("end\n"), seen);
        QVERIFY2(!seen.contains("hunter2"), seen);
    }

    // As a user who is not root, because root may read everything.
    void processesOfTheSameUserSeeNothingOfTheWorker()
    {
        if (::geteuid() == 0)
            startWorkerAsUserNobody();
        else
            startWorker({QStringLiteral("--host-pids")});
        const QByteArray seen =
            jobRuns(QStringLiteral("worker=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$PPID/status); echo worker $worker;"
                                   "for process in $PPID $worker; do cat /proc/$process/environ; ls /proc/$process/fd;"
                                   "done 2>&1 | tr '\\0' '\\n'"));
        QVERIFY2(seen.startsWith("worker " + QByteArray::number(m_worker->processId())), seen);
        QVERIFY2(seen.count("ermission denied") == 4 && !seen.contains("hunter2"), seen);
    }
};

QTEST_GUILESS_MAIN(SecretsTest)
#include "secrets_test.moc"
