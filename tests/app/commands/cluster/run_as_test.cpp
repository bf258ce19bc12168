#include "app/support/drover_on_server.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

namespace {

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray statusLine(const QByteArray &status, const char *name)
{
    const qsizetype at = status.indexOf('\n' + QByteArray(name) + ':') + 1;
    return status.mid(at, status.indexOf('\n', at) - at).simplified();
}

} // namespace

// Jobs of other users of the machine, on a worker of root whose policy names the users.
class RunAsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;
    QString m_user;
    QByteArray m_home;
    uid_t m_uid = 0;
    gid_t m_gid = 0;
    QTemporaryDir m_place; // that all users may enter

    // Its name. It says `more`, and that jobs may run as m_user.
    QString writePolicy(const QByteArray &more = {}) const
    {
        const QString name = m_drover.directory() + QStringLiteral("/worker.toml");
        QFile policy(name);
        if (policy.open(QIODevice::WriteOnly))
            policy.write("run_as = [\"" + m_user.toUtf8() + "\"]\n" + more);
        policy.close();
        policy.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        return name;
    }

    void startWorker(const QString &options = {}, const QByteArray &more = {})
    {
        const QString file = writePolicy(more);
        m_worker =
            m_drover.start(words("worker --slots 2 --policy") << file << options.split(u' ', Qt::SkipEmptyParts));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    // Nothing is below the folder where the runner looks for them.
    void startWithoutControlGroups(const QByteArray &policy)
    {
        const QString file = writePolicy(policy);
        m_worker = std::make_unique<QProcess>();
        m_worker->setProcessEnvironment(m_drover.environment());
        m_worker->setWorkingDirectory(m_drover.directory());
        m_worker->start(QStringLiteral("unshare"),
                        words("-m sh -c")
                            + QStringList{QStringLiteral("mount -t tmpfs none /sys/fs/cgroup"
                                                         " && exec \"$0\" worker --policy \"$1\""),
                                          qEnvironmentVariable("DROVER_BIN_DIR") + u"/drover"_qs, file});
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, 30'000);
    }

    Finished runAs(const QString &user, const QString &options, const QString &script) const
    {
        const char *const run = options.contains(u"--dir ") ? "run --run-as" : "run --dir / --run-as";
        return m_drover.run((words(run) << user) + options.split(u' ', Qt::SkipEmptyParts) + words("-- sh -c")
                            << script);
    }

    QByteArray jobPrints(const QString &script) const
    {
        const Finished finished = runAs(m_user, {}, script);
        return finished.exitCode == 0 ? finished.out.trimmed() : "failed: " + finished.err;
    }

    QByteArray whyFails(const QString &options) const
    {
        const Finished finished = runAs(m_user, options, QStringLiteral("echo it ran"));
        return finished.out.contains("it ran") ? "it ran" : QByteArray::number(finished.exitCode) + ' ' + finished.err;
    }

    // The runner: the worker's child.
    qint64 runnerPid() const
    {
        const QString pid = QString::number(m_worker->processId());
        for (const QString &thread :
             QDir(QStringLiteral("/proc/%1/task").arg(pid)).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const QByteArray children = contents(QStringLiteral("/proc/%1/task/%2/children").arg(pid, thread));
            if (!children.trimmed().isEmpty())
                return children.simplified().split(' ').first().toLongLong();
        }
        return 0;
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (::geteuid() != 0)
            QSKIP("only root can start processes of other users");
        ::setpwent();
        while (const passwd *const one = ::getpwent()) {
            if (one->pw_uid < 1000 || one->pw_gid == 0)
                continue;
            m_user = QString::fromLocal8Bit(one->pw_name);
            m_home = one->pw_dir;
            m_uid = one->pw_uid;
            m_gid = one->pw_gid;
        }
        ::endpwent();
        QVERIFY2(!m_user.isEmpty(), "there is no user of uid 1000 or more");
        QCOMPARE(::chmod(qPrintable(m_place.path()), 0755), 0);
        m_cluster.runAs = {m_user, QStringLiteral("root"), QStringLiteral("daemon"), QStringLiteral("no-such-user")};
        m_cluster.start({"default"});
    }

    void cleanup() { m_cluster.stopWorker(m_worker); }

    void aJobHasTheUsersIdsAndGroups_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("usually") << QString();
        QTest::newRow("also where jobs may gain privileges") << QStringLiteral("--allow-setuid");
        QTest::newRow("among the machine's processes") << QStringLiteral("--host-pids");
    }
    void aJobHasTheUsersIdsAndGroups()
    {
        QFETCH(QString, options);
        startWorker(options);
        QProcess id;
        id.start(QStringLiteral("sh"),
                 {QStringLiteral("-c"), QStringLiteral("id -G %1 | xargs -n1 | sort").arg(m_user)});
        const QByteArray groups = DroverProgram::finish(id).out.trimmed();
        QVERIFY(!groups.isEmpty());
        QCOMPARE(jobPrints(QStringLiteral("id -G | xargs -n1 | sort")), groups);
        QCOMPARE(jobPrints(QStringLiteral("id -un")), m_user.toUtf8());
        const QByteArray uid = QByteArray::number(m_uid);
        const QByteArray gid = QByteArray::number(m_gid);
        const QByteArray status = '\n' + jobPrints(QStringLiteral("cat /proc/self/status")) + '\n';
        QCOMPARE(statusLine(status, "Uid"), "Uid: " + uid + ' ' + uid + ' ' + uid + ' ' + uid);
        QCOMPARE(statusLine(status, "Gid"), "Gid: " + gid + ' ' + gid + ' ' + gid + ' ' + gid);
        for (const char *const set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
            QCOMPARE(statusLine(status, set), QByteArray(set) + ": 0000000000000000");
        QCOMPARE(statusLine(status, "NoNewPrivs"), QByteArray("NoNewPrivs: 1"));
        QCOMPARE(jobPrints(QStringLiteral("echo $HOME $USER $LOGNAME")),
                 m_home + ' ' + m_user.toUtf8() + ' ' + m_user.toUtf8());
    }

    // The process shares the runner's memory until its exec, and the C library would change all threads there.
    void theRunnerStaysRoot()
    {
        startWorker();
        for (int i = 0; i < 5; ++i)
            QCOMPARE(jobPrints(QStringLiteral("id -u")), QByteArray::number(m_uid));
        const QString tasks = QStringLiteral("/proc/%1/task").arg(runnerPid());
        const QStringList threads = QDir(tasks).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        QVERIFY(threads.size() >= 2); // one of them has started jobs
        for (const QString &thread : threads) {
            const QByteArray status = contents(tasks + u'/' + thread + QStringLiteral("/status"));
            QCOMPARE(statusLine(status, "Uid"), QByteArray("Uid: 0 0 0 0"));
            QCOMPARE(statusLine(status, "Gid"), QByteArray("Gid: 0 0 0 0"));
            QVERIFY(statusLine(status, "CapEff") != "CapEff: 0000000000000000");
        }
    }

    void theKernelJudgesEveryPathAsThatUser()
    {
        startWorker();
        const QString closed = m_place.filePath(QStringLiteral("closed"));
        QVERIFY(QDir().mkpath(closed));
        QCOMPARE(::chmod(qPrintable(closed), 0700), 0);
        QFile secret(closed + QStringLiteral("/secret"));
        QVERIFY(secret.open(QIODevice::WriteOnly));
        secret.close();
        const QByteArray directory = whyFails(QStringLiteral("--dir ") + closed);
        QVERIFY2(directory.startsWith("126 ") && directory.contains("cannot enter the directory"), directory);
        const QByteArray input = whyFails(QStringLiteral("--input ") + secret.fileName());
        QVERIFY2(input.startsWith("126 ") && input.contains("cannot read the input file"), input);
        for (const char *const option : {"--stdout ", "--stderr "}) {
            const QByteArray output = whyFails(QLatin1String(option) + closed + QStringLiteral("/made"));
            QVERIFY2(output.startsWith("126 ") && output.contains("Permission denied"), output);
        }
        QVERIFY(!QFile::exists(closed + QStringLiteral("/made")));
        const QByteArray program =
            m_drover.run(words("run --dir / --run-as") << m_user << QStringLiteral("--") << secret.fileName()).err;
        QVERIFY2(program.contains("Permission denied") || program.contains("does not exist"), program);

        const QString open = m_place.filePath(QStringLiteral("open"));
        QVERIFY(QDir().mkpath(open));
        QCOMPARE(::chown(qPrintable(open), m_uid, m_gid), 0);
        QCOMPARE(whyFails(QStringLiteral("--stdout %1/made/file").arg(open)), QByteArray("it ran"));
        struct ::stat status {
        };
        QCOMPARE(::stat(qPrintable(open + QStringLiteral("/made/file")), &status), 0);
        QCOMPARE(status.st_uid, m_uid);
    }

    void theWorkerIsOutOfReach()
    {
        startWorker(QStringLiteral("--host-pids"));
        const QString worker = QString::number(m_worker->processId());
        const QByteArray seen = jobPrints(
            QStringLiteral("for process in %1 $PPID; do"
                           " for file in environ mem maps fd/0; do cat /proc/$process/$file && echo read $file; done;"
                           " for signal in 0 STOP KILL; do kill -$signal $process && echo sent $signal; done; done;"
                           "ls %2 && echo listed; echo end")
                .arg(worker, m_drover.directory()));
        QCOMPARE(seen, QByteArray("end"));
        QCOMPARE(m_worker->state(), QProcess::Running);
    }

    // The kernel counts all processes of the user. A job may ask for less, and not for more.
    void withoutControlGroupsEachUserHasALimitOfProcesses()
    {
        startWithoutControlGroups("max_processes = 500\n");
        const QString limit = QStringLiteral("grep 'Max processes' /proc/self/limits; sleep 0.3");
        const auto limitWith = [&](const char *options) {
            return runAs(m_user, QLatin1String(options), limit).out.simplified();
        };
        QCOMPARE(limitWith(""), QByteArray("Max processes 500 500 processes"));
        QCOMPARE(limitWith("--ulimit nproc=300"), QByteArray("Max processes 300 300 processes"));
        QCOMPARE(limitWith("--ulimit nproc=700"), QByteArray("Max processes 500 500 processes"));
        const Finished doctor = m_drover.run(words("doctor"));
        QVERIFY2(!doctor.out.contains("cannot limit the processes"), doctor.out);
    }

    // Root's own jobs are not held by such a limit.
    void aLimitOfProcessesThatDoesNotHoldIsReported()
    {
        startWithoutControlGroups("max_processes = 500\nallow_root = true\n");
        QCOMPARE(m_drover.run(words("run -- sleep 0.3")).exitCode, 0);
        QTRY_VERIFY_WITH_TIMEOUT(m_drover.run(words("doctor")).out.contains("cannot limit the processes of its jobs"),
                                 30'000);
        QByteArray log;
        QVERIFY(waitForMessage(*m_worker, "nothing limits the processes of jobs", log));
    }

    void otherUsersAreRefused()
    {
        startWorker();
        for (const char *const user : {"root", "daemon", "no-such-user"}) {
            const Finished finished = runAs(QLatin1String(user), {}, QStringLiteral("id"));
            QCOMPARE(finished.exitCode, 125);
            QVERIFY2(finished.out.isEmpty()
                         && finished.err.contains("refused: this worker does not allow jobs of user"),
                     finished.err);
        }
        const Finished unnamed = m_drover.run(words("run --dir / -- id"));
        QCOMPARE(unnamed.exitCode, 125);
        QVERIFY2(unnamed.out.isEmpty() && unnamed.err.contains("--run-as"), unnamed.err);
        const Finished appends = runAs(m_user, QStringLiteral("--append-to /tmp/x"), QStringLiteral("id"));
        QCOMPARE(appends.exitCode, 2);
        QVERIFY2(appends.complainsOnce() && appends.err.contains("--stdout"), appends.err);
        QVERIFY(!m_drover.run(words("doctor")).out.contains("runs jobs as root"));
    }

    // Also where jobs may be root's.
    void jobsThatNameNoUserRunAsTheDefault_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("usually") << QString();
        QTest::newRow("with --allow-root") << QStringLiteral("--allow-root");
    }
    void jobsThatNameNoUserRunAsTheDefault()
    {
        QFETCH(QString, options);
        startWorker(options, "default_user = \"" + m_user.toUtf8() + "\"\n");
        const Finished unnamed = m_drover.run(words("run --dir / -- sh -c") << QStringLiteral("id -un; echo $HOME"));
        QCOMPARE(unnamed.err, QByteArray());
        QCOMPARE(unnamed.out, m_user.toUtf8() + '\n' + m_home + '\n');
        QCOMPARE(jobPrints(QStringLiteral("id -un")), m_user.toUtf8());
        const QString file = m_place.filePath(QStringLiteral("appended"));
        const Finished appends = m_drover.run(words("run --dir / --append-to") << file << words("-- echo text"));
        QCOMPARE(appends.exitCode, 125);
        QVERIFY2(appends.err.contains("runs the job as user " + m_user.toUtf8()), appends.err);
        QVERIFY(!QFile::exists(file));
        QVERIFY(!m_drover.run(words("doctor")).out.contains("runs jobs as root"));
    }

    // A change of user takes the signal away that the kernel sends when the runner dies.
    void aJobOfAnotherUserDiesWithTheRunner()
    {
        startWorker(QStringLiteral("--host-pids"));
        const QString file = m_place.filePath(QStringLiteral("pid"));
        QFile made(file);
        QVERIFY(made.open(QIODevice::WriteOnly));
        made.close();
        QCOMPARE(::chown(qPrintable(file), m_uid, m_gid), 0);
        const QString script = QStringLiteral("echo $$ >%1; exec sleep 600").arg(file);
        QCOMPARE(
            m_drover.run(words("submit --dir / --max-attempts 1 --run-as") << m_user << words("-- sh -c") << script)
                .exitCode,
            0);
        QTRY_VERIFY_WITH_TIMEOUT(contents(file).endsWith('\n'), 30'000);
        const pid_t job = contents(file).trimmed().toInt();
        const pid_t runner = pid_t(runnerPid());
        QCOMPARE(::kill(runner, SIGSTOP), 0); // so that neither it nor the worker kills the job
        m_worker->kill();
        QVERIFY(m_worker->waitForFinished());
        m_worker.reset();
        QCOMPARE(::kill(runner, SIGKILL), 0);
        QTRY_VERIFY_WITH_TIMEOUT(::kill(job, 0) != 0, 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).isEmpty(), 30'000);
    }
};

QTEST_GUILESS_MAIN(RunAsTest)
#include "run_as_test.moc"
