#include "workers/process/runner_client.h"

#include <QProcess>
#include <QTest>

using namespace drover::workers;

// A new process of a job becomes another user while it shares the runner's memory. The functions of the C library that
// do so take a lock there, and ask every thread that they find there to change its user, too. The threads are another
// process's, so the kernel refuses that. But a process that is killed meanwhile leaves the lock taken, and then the
// runner starts no thread any more. No run of jobs shows that within the time of a test.
class RawCallsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theRunnerHasNoFunctionThatChangesTheUsersOfAllThreads()
    {
        QProcess nm;
        nm.start(QStringLiteral("nm"),
                 {QStringLiteral("-D"), QStringLiteral("--undefined-only"), QStringLiteral("--format=posix"),
                  RunnerClient::findProgram()});
        QVERIFY2(nm.waitForFinished() && nm.exitCode() == 0, nm.readAllStandardError());
        QStringList imports;
        for (const QByteArray &line : nm.readAllStandardOutput().split('\n'))
            imports.append(QString::fromLatin1(line.left(line.indexOf(' '))).section(u'@', 0, 0));
        QVERIFY(imports.contains(u"syscall")); // which it uses instead
        for (const char *const function : {"setuid", "seteuid", "setreuid", "setresuid", "setgid", "setegid",
                                           "setregid", "setresgid", "setgroups", "initgroups"})
            QVERIFY2(!imports.contains(QLatin1String(function)), function);
    }
};

QTEST_GUILESS_MAIN(RawCallsTest)
#include "raw_calls_test.moc"
