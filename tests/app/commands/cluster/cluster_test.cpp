#include "app/support/drover_program.h"
#include "support/send_signal.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QScopeGuard>
#include <QTest>

#include <csignal>

#include <sched.h>
#include <sys/mount.h>

using namespace drover::test;

namespace {

QStringList shell(const char *command, const char *script)
{
    return words(command)
        + QStringList{QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), QString::fromUtf8(script)};
}

} // namespace

// A cluster on this machine, from up to down, as a user sees it.
class ClusterTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;
    qint64 m_upPid = 0;
    QString m_connect;

    QString submit(const char *script) const
    {
        const Finished finished = m_drover.run(shell("submit", script));
        if (finished.exitCode != 0)
            qWarning("submit: exit code %d: %s", finished.exitCode, finished.err.constData());
        return QString::fromUtf8(finished.out.trimmed());
    }

    QString stateOf(const QString &id) const
    {
        const Finished finished =
            m_drover.run({QStringLiteral("show"), id, QStringLiteral("-o"), QStringLiteral("json")});
        return json(finished).value(QStringLiteral("state")).toString();
    }

    QStringList idsIn(const char *state) const
    {
        const Finished finished =
            m_drover.run(words("ls -o json") << QStringLiteral("--state") << QLatin1String(state));
        QStringList ids;
        const QJsonArray jobs = json(finished).value(QStringLiteral("jobs")).toArray();
        for (const QJsonValue &job : jobs)
            ids.append(job.toObject().value(QStringLiteral("id")).toString());
        return ids;
    }

    QList<qint64> workerPids() const
    {
        QList<qint64> pids;
        const QJsonObject list = json(m_drover.run(words("worker ls -o json")));
        for (const QJsonValue worker : list.value(QStringLiteral("workers")).toArray())
            pids.append(worker.toObject().value(QStringLiteral("pid")).toInteger());
        return pids;
    }

    // A process that has ended and is only not yet reaped counts as gone.
    static bool isAlive(qint64 pid)
    {
        QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
        if (!stat.open(QIODevice::ReadOnly))
            return false;
        const QByteArray text = stat.readAll();
        return text.mid(text.lastIndexOf(')') + 2, 1) != "Z";
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished up = m_drover.run(words("up --detach --workers 2 --slots 2 -o json"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
        m_upPid = json(up).value(QStringLiteral("pid")).toInteger();
        m_connect = json(up).value(QStringLiteral("connect")).toString();
        QCOMPARE(json(up).value(QStringLiteral("worker_count")).toInt(), 2);
        QCOMPARE(workerPids().size(), 2);
    }

    void cleanup()
    {
        if (QTest::currentTestFailed())
            qWarning("%s", m_drover.run(words("ls --all")).out.constData());
    }

    void aSecondUpIsRefused()
    {
        for (const char *const command : {"up", "up --detach"}) {
            const Finished second = m_drover.run(words(command));
            QCOMPARE(second.exitCode, 4);
            QVERIFY2(second.complainsOnce() && second.err.contains(QByteArray::number(m_upPid)), second.err);
        }
        QVERIFY(isAlive(m_upPid));
    }

    void upSaysWhenCommandsGoElsewhere()
    {
        DroverProgram other;
        other.setVariable("DROVER_CONNECT", QStringLiteral("127.0.0.1:1"));
        const Finished up = other.run(words("up --detach --workers 1"));
        QCOMPARE(up.exitCode, 0);
        QVERIFY2(up.complainsOnce()
                     && up.err.contains("another cluster, 127.0.0.1:1, which is named by DROVER_CONNECT; "),
                 up.err);
        QCOMPARE(other.run(words("down")).exitCode, 0);
    }

    // On a terminal, as people start it: on a full disk, and on one that is full for a while.
    void upReportsAFullDiskOnce()
    {
        DroverProgram other;
        const QString data = other.environment().value(QStringLiteral("XDG_DATA_HOME"));
        const QByteArray folder = QFile::encodeName(data);
        if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
            || ::mount("none", folder.constData(), "tmpfs", 0, "size=32m") != 0)
            QSKIP("only root mounts a small disk");
        const auto unmount = qScopeGuard([&] { ::umount2(folder.constData(), MNT_DETACH); });
        QFile filler(data + QStringLiteral("/filler"));
        const auto fill = [&] {
            QVERIFY(filler.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
            while (filler.write(QByteArray(4096, 'x')) > 0) { }
            filler.close();
        };
        const auto startUp = [&](QProcess &terminal) {
            terminal.setProcessEnvironment(other.environment());
            terminal.start(QStringLiteral("script"),
                           {QStringLiteral("-qec"), QStringLiteral("exec \"$DROVER_BIN_DIR/drover\" up --workers 1"),
                            QStringLiteral("/dev/null")});
        };
        fill();
        QProcess refused;
        startUp(refused);
        const Finished full = DroverProgram::finish(refused);
        QVERIFY2(full.exitCode == 1 && full.out.count('\n') == 1, full.out);
        QVERIFY2(full.out.contains("No space left on device"), full.out);

        QVERIFY(filler.remove());
        QProcess terminal;
        startUp(terminal);
        QByteArray seen;
        QVERIFY2(waitForOutput(terminal, "next: drover run", seen), seen);
        QVERIFY2(waitForOutput(terminal, "drover launch FILE --connect HOST:2181", seen), seen); // for a second machine
        fill();
        QTRY_VERIFY_WITH_TIMEOUT(other.run(words("--connect-timeout 1s submit -- true")).exitCode != 0, 60'000);
        QVERIFY2(waitForOutput(terminal, "trying again until it starts", seen), seen);
        QVERIFY(filler.remove());
        QVERIFY2(waitForOutput(terminal, "ZooKeeper runs again", seen), seen);
        QCOMPARE(seen.count("no space is left on its device"), 1);
        QCOMPARE(other.run(words("run -- echo again")).out, "again\n");
        terminal.write("\x03"); // Ctrl-C
        QCOMPARE(DroverProgram::finish(terminal).exitCode, 0);
    }

    void runPassesOutputAndExitCodeThrough()
    {
        const Finished good = m_drover.run(shell("run", "echo out; echo err >&2"));
        QCOMPARE(good.exitCode, 0);
        QCOMPARE(good.out, QByteArray("out\n"));
        QCOMPARE(good.err, QByteArray("err\n"));
        QCOMPARE(m_drover.run(shell("run", "exit 3")).exitCode, 3);
        const Finished killed = m_drover.run(shell("run", "kill -9 $$"));
        QCOMPARE(killed.exitCode, 128 + SIGKILL);
        QVERIFY2(killed.err.contains("signal 9"), killed.err);
        const Finished missing = m_drover.run(words("run -- no-such-program"));
        QCOMPARE(missing.exitCode, 127);
        QVERIFY2(missing.err.contains("no-such-program"), missing.err);
        QCOMPARE(m_drover.run(shell("run --time-limit 200ms", "sleep 60")).exitCode, 124);
    }

    void runShowsOutputWhileTheJobRuns()
    {
        const std::unique_ptr<QProcess> process =
            m_drover.start(shell("run", "echo first; while [ ! -e go ]; do sleep 0.05; done; echo second"));
        QByteArray seen;
        QVERIFY(waitForOutput(*process, "first\n", seen));
        QVERIFY(QFile(m_drover.directory() + QStringLiteral("/go")).open(QIODevice::WriteOnly));
        QVERIFY(waitForOutput(*process, "second\n", seen));
        QCOMPARE(DroverProgram::finish(*process).exitCode, 0);
        QCOMPARE(seen, QByteArray("first\nsecond\n"));
    }

    void jobsGetTheirEnvironmentAndNoMore()
    {
        DroverProgram drover; // borrows the directories, adds a variable
        const QProcessEnvironment own = m_drover.environment();
        for (const char *const name : {"XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"})
            drover.setVariable(name, own.value(QLatin1String(name)));
        drover.setVariable("SECRET", QStringLiteral("s"));
        drover.setVariable("PASSED", QStringLiteral("p"));
        const Finished finished = drover.run(
            shell("run --env PASSED --env GIVEN=a=b --dir /", "echo $SECRET,$PASSED,$GIVEN,$PWD,$DROVER_ATTEMPT"));
        drover.setVariable("XDG_RUNTIME_DIR", drover.directory()); // so that its end leaves our cluster alone
        QCOMPARE(finished.out, QByteArray(",p,a=b,/,1\n"));
    }

    void submitWaitShow()
    {
        const QString good = submit("true");
        const QString bad = submit("exit 4");
        QVERIFY(!good.isEmpty() && !bad.isEmpty());
        const Finished both =
            m_drover.run({QStringLiteral("wait"), good, bad, QStringLiteral("-o"), QStringLiteral("json")});
        QCOMPARE(both.exitCode, 4);
        const QJsonArray rows = json(both).value(QStringLiteral("jobs")).toArray();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0].toObject().value(QStringLiteral("state")).toString(), QStringLiteral("succeeded"));
        QCOMPARE(rows[1].toObject().value(QStringLiteral("exit_code")).toInt(), 4);

        const QJsonObject shown =
            json(m_drover.run({QStringLiteral("show"), bad, QStringLiteral("-o"), QStringLiteral("json")}));
        QCOMPARE(shown.value(QStringLiteral("schema")).toInt(), 1);
        QCOMPARE(shown.value(QStringLiteral("id")).toString(), bad);
        QCOMPARE(shown.value(QStringLiteral("state")).toString(), QStringLiteral("failed"));
        QVERIFY(shown.value(QStringLiteral("ended_at")).toString().endsWith(u'Z'));

        const QJsonObject failed = json(m_drover.run(words("ls --state failed -o json")));
        bool listed = false;
        for (const QJsonValue job : failed.value(QStringLiteral("jobs")).toArray()) {
            QCOMPARE(job.toObject().value(QStringLiteral("state")).toString(), QStringLiteral("failed"));
            listed = listed || job.toObject().value(QStringLiteral("id")).toString() == bad;
        }
        QVERIFY(listed);
        QCOMPARE(m_drover.run(shell("submit --wait", "exit 6")).exitCode, 6);
    }

    void logs()
    {
        const QString id = submit("echo one; echo two >&2; while [ ! -e end ]; do sleep 0.05; done; echo three");
        const std::unique_ptr<QProcess> process = m_drover.start({QStringLiteral("logs"), QStringLiteral("-f"), id});
        QByteArray seen;
        QVERIFY(waitForOutput(*process, "one\n", seen));
        QVERIFY(QFile(m_drover.directory() + QStringLiteral("/end")).open(QIODevice::WriteOnly));
        const Finished finished = DroverProgram::finish(*process);
        QCOMPARE(finished.exitCode, 0);
        QCOMPARE(seen + finished.out, QByteArray("one\nthree\n"));

        QCOMPARE(m_drover.run({QStringLiteral("logs"), id}).out, QByteArray("one\nthree\n"));
        QCOMPARE(m_drover.run({QStringLiteral("logs"), QStringLiteral("--stderr"), id}).err, QByteArray("two\n"));
    }

    void logsFallBackToTheRecord()
    {
        const QString id = submit("echo kept");
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 0);
        const QString spool = m_drover.environment().value(QStringLiteral("XDG_STATE_HOME"))
            + QStringLiteral("/drover/spool/default/%1.1.out").arg(id);
        QVERIFY2(QFile::remove(spool), qPrintable(spool));
        const Finished finished = m_drover.run({QStringLiteral("logs"), id});
        QCOMPARE(finished.exitCode, 0);
        QCOMPARE(finished.out, QByteArray("kept\n"));
        QVERIFY2(finished.complainsOnce() && finished.err.contains("last 5 of its 5 bytes"), finished.err);
    }

    void cancelRunning()
    {
        const QString id = submit("sleep 100");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), QStringLiteral("running"), 30'000);
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), id}).exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}).exitCode, 128 + SIGTERM);
        QCOMPARE(stateOf(id), QStringLiteral("cancelled"));
    }

    void cancelWaiting()
    {
        QStringList ids;
        for (int i = 0; i < 5; ++i) // one more than there are slots
            ids.append(submit("sleep 100"));
        // Which one is left over is the workers' affair; one of them may have claimed it ahead for a moment.
        QTRY_COMPARE_WITH_TIMEOUT(idsIn("running").size(), 4, 30'000);
        QStringList ready;
        QTRY_VERIFY_WITH_TIMEOUT((ready = idsIn("ready")).size() == 1, 30'000);
        const QString left = ready.first();
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), left}).exitCode, 0);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), left}).exitCode, 125); // it never had a code

        const Finished running = m_drover.run(QStringList{QStringLiteral("cancel")} + ids);
        QCOMPARE(running.exitCode, 4); // one of them has ended already
        QCOMPARE(running.out.count("stopping"), 4);
        m_drover.run(QStringList{QStringLiteral("wait")} + ids);
        for (const QString &id : ids)
            QCOMPARE(stateOf(id), QStringLiteral("cancelled"));
    }

    void interruptedRunCancelsItsJob()
    {
        const std::unique_ptr<QProcess> process = m_drover.start(shell("run", "echo $DROVER_JOB_ID; sleep 100"));
        QByteArray seen;
        QVERIFY(waitForOutput(*process, "\n", seen));
        sendSignal(*process, SIGINT);
        QCOMPARE(DroverProgram::finish(*process).exitCode, 128 + SIGINT);
        QCOMPARE(stateOf(QString::fromUtf8(seen.trimmed())), QStringLiteral("cancelled"));
    }

    // As from timeout(1), which signals its child and then its group; two different ones, which are never made one.
    void twoSignalsAtOnceCancelTheJob()
    {
        const std::unique_ptr<QProcess> process = m_drover.start(shell("run", "echo $DROVER_JOB_ID; sleep 100"));
        QByteArray seen;
        QVERIFY(waitForOutput(*process, "\n", seen));
        sendSignal(*process, SIGTERM);
        sendSignal(*process, SIGINT);
        QVERIFY(DroverProgram::finish(*process).exitCode > 128);
        const QString id = QString::fromUtf8(seen.trimmed());
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), QStringLiteral("cancelled"), 30'000);
    }

    void jobsMaySubmitAndLock()
    {
        const QString program = qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover");
        const Finished finished = m_drover.run({QStringLiteral("run"), QStringLiteral("--"), program,
                                                QStringLiteral("lock"), QStringLiteral("inner"), QStringLiteral("--"),
                                                QStringLiteral("echo"), QStringLiteral("locked")});
        QCOMPARE(finished.exitCode, 0);
        QCOMPARE(finished.out, QByteArray("locked\n"));
    }

    void aWorkerThatDiesIsReplacedAndItsJobRunsAgain()
    {
        const QString id = submit("if [ $DROVER_ATTEMPT = 1 ]; then echo $PPID; sleep 100; fi; exit 9");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), QStringLiteral("running"), 30'000);
        const QJsonObject job =
            json(m_drover.run({QStringLiteral("show"), id, QStringLiteral("-o"), QStringLiteral("json")}));
        const QString worker = job.value(QStringLiteral("worker")).toString();
        qint64 pid = 0;
        const QJsonObject list = json(m_drover.run(words("worker ls -o json")));
        for (const QJsonValue row : list.value(QStringLiteral("workers")).toArray()) {
            if (row.toObject().value(QStringLiteral("worker")).toString() == worker)
                pid = row.toObject().value(QStringLiteral("pid")).toInteger();
        }
        QVERIFY(pid > 0);
        ::kill(static_cast<pid_t>(pid), SIGKILL);
        QCOMPARE(m_drover.run({QStringLiteral("wait"), id}, 90'000).exitCode, 9);
        QTRY_VERIFY_WITH_TIMEOUT(workerPids().size() == 2 && !workerPids().contains(pid), 60'000);
    }

    // The server of `up` hangs: the advice is not to run another.
    void aStoppedServerIsNamed()
    {
        QFile file(m_drover.environment().value(QStringLiteral("XDG_DATA_HOME"))
                   + QStringLiteral("/drover/zookeeper/server.pid"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto server = static_cast<pid_t>(file.readAll().trimmed().toLongLong());
        ::kill(server, SIGSTOP);
        const Finished list = m_drover.run(words("ls --connect-timeout 300ms"));
        ::kill(server, SIGCONT);
        QCOMPARE(list.exitCode, 6);
        QVERIFY2(list.complainsOnce() && list.err.contains("the ZooKeeper of the running drover up")
                     && !list.err.contains("start one"),
                 list.err);
        QTRY_COMPARE_WITH_TIMEOUT(workerPids().size(), 2, 60'000);
    }

    void downLeavesNothingRunning()
    {
        const QList<qint64> workers = workerPids();
        const QJsonObject servers = json(m_drover.run(words("ls -o json")));
        QCOMPARE(servers.value(QStringLiteral("total")).toInt(), 0);
        QFile serverPid(m_drover.environment().value(QStringLiteral("XDG_DATA_HOME"))
                        + QStringLiteral("/drover/zookeeper/server.pid"));
        QVERIFY(serverPid.open(QIODevice::ReadOnly));
        const qint64 server = serverPid.readAll().trimmed().toLongLong();
        QVERIFY(isAlive(server) && isAlive(m_upPid));

        const Finished down = m_drover.run(words("down"));
        QVERIFY2(down.exitCode == 0, down.err);
        for (const qint64 pid : workers + QList<qint64>{server})
            QVERIFY(!isAlive(pid));
        QTRY_VERIFY_WITH_TIMEOUT(!isAlive(m_upPid), 30'000); // it drops its lock a moment before it ends
        QCOMPARE(m_drover.run(words("ls")).exitCode, 6);
        const Finished again = m_drover.run(words("down"));
        QCOMPARE(again.exitCode, 0);
        QVERIFY(again.err.contains("not running"));
    }

    void upInTheForegroundKeepsTheJobsAndStopsOnInterrupt()
    {
        const std::unique_ptr<QProcess> up = m_drover.start(words("up --workers 1"));
        QByteArray seen;
        QVERIFY(waitForOutput(*up, "Ctrl-C stops it", seen, 120'000));
        QVERIFY2(seen.contains(m_connect.toLatin1()), "at the port of before");
        QVERIFY(m_drover.run(words("ls --all")).out.contains("succeeded")); // from before
        QCOMPARE(m_drover.run(words("run -- true")).exitCode, 0);
        const QList<qint64> workers = workerPids();
        const QString id = submit("trap '' TERM; sleep 600");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), QStringLiteral("running"), 30'000);
        sendSignal(*up, SIGINT);
        QByteArray said;
        QVERIFY2(waitForMessage(*up, "waiting for the jobs of up-1", said), said);
        sendSignal(*up, SIGINT); // at once
        DroverProgram::finish(*up);
        for (const qint64 pid : workers)
            QVERIFY(!isAlive(pid));
    }
};

QTEST_GUILESS_MAIN(ClusterTest)
#include "cluster_test.moc"
