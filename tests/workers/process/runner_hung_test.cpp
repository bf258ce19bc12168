#include "runner_fixture.h"
#include "workers/dead_mount.h"
#include "workers/stalled_mount.h"

#include <QElapsedTimer>

#include <stdlib.h>
#include <termios.h>

using namespace drover;
using namespace drover::workers;
using namespace drover::workers::testing;

namespace {

// A device that takes some kilobytes and then no more until they are read.
class Terminal
{
public:
    Terminal() : m_master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC))
    {
        ::grantpt(m_master);
        ::unlockpt(m_master);
        m_slave = ::open(::ptsname(m_master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        termios settings{};
        ::tcgetattr(m_slave, &settings);
        ::cfmakeraw(&settings);
        ::tcsetattr(m_slave, TCSANOW, &settings);
        ::fcntl(m_master, F_SETFL, O_NONBLOCK);
    }
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;
    ~Terminal()
    {
        ::close(m_slave);
        ::close(m_master);
    }

    QString path() const { return QString::fromLatin1(::ptsname(m_master)); }
    // How many bytes there were.
    qsizetype read()
    {
        char buffer[4096];
        qsizetype all = 0;
        for (ssize_t got = 0; (got = ::read(m_master, buffer, sizeof buffer)) > 0;)
            all += got;
        return all;
    }
    // At most what the terminal holds. Of less the kernel tells no writer.
    qsizetype readPart()
    {
        char buffer[4096];
        qsizetype all = 0;
        for (ssize_t got = 0; all < 64 * 1024 && (got = ::read(m_master, buffer, sizeof buffer)) > 0;)
            all += got;
        return all;
    }

private:
    int m_master;
    int m_slave;
};

} // namespace

// A job whose path leads to a file server that hangs: it waits, and no other job of its runner does.
class RunnerHungTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::DeadMount> m_dead;

    static void addPaths()
    {
        QTest::addColumn<QString>("path");
        for (const char *const path : {"directory", "input", "program", "output", "error"})
            QTest::newRow(path) << QString::fromLatin1(path);
    }

    // That would make the file "begun".
    Command hanging(const Host &host) const
    {
        QFETCH(QString, path);
        Command command = host.shell("touch begun");
        const QString dead = m_dead->path(QStringLiteral("file"));
        if (path == u"directory")
            command.directory = bytes(dead);
        else if (path == u"input")
            command.input = bytes(dead);
        else if (path == u"program")
            command.arguments = {bytes(dead)};
        else if (path == u"output")
            command.outputCopy = bytes(dead);
        else
            command.errorCopy = bytes(dead);
        return command;
    }

    // Nothing of the hung start is left, neither the process of the job nor that of a copy.
    static void hasNoRemains(const Host &host)
    {
        QTRY_VERIFY_WITH_TIMEOUT(childrenOf(host.runner.runnerPid()).isEmpty(), 60'000);
        QVERIFY(!QFileInfo::exists(host.folder.filePath(QStringLiteral("begun"))));
    }

    // Starts, output, time limits and cancels.
    static void othersGoOn(Host &host)
    {
        Command hello = host.shell("echo hello");
        hello.output = bytes(host.spooled(QStringLiteral("hello")));
        QVERIFY(host.finish(hello).succeeded());
        QCOMPARE(contents(hello.output), "hello\n");
        Command slow = host.shell("exec sleep 1000");
        slow.timeLimit = 50ms;
        QCOMPARE(host.finish(slow).how, How::TimedOut);
        slow.timeLimit = 0ms;
        RunHandle cancelled = host.runner.run(slow);
        QVERIFY(wait(cancelled.started));
        host.runner.kill(cancelled.runId, 10s);
        QCOMPARE(wait(cancelled.outcome).how, How::Killed);
    }

private Q_SLOTS:
    void init()
    {
        m_dead = std::make_unique<test::DeadMount>();
        if (!m_dead->isMounted())
            QSKIP("needs root and /dev/fuse");
    }
    void cleanup() { m_dead.reset(); }

    void aHungPathHarmsOneJob_data() { addPaths(); }
    void aHungPathHarmsOneJob()
    {
        Host host;
        RunHandle before = host.runner.run(host.shell("echo before; exec sleep 1000"));
        QVERIFY(wait(before.started));
        RunHandle hung = host.runner.run(hanging(host));
        othersGoOn(host);
        host.runner.kill(before.runId, 0s);
        QCOMPARE(wait(before.outcome).how, How::Killed);
        QVERIFY(!hung.started.ready());
        QVERIFY(!hung.outcome.ready());

        host.runner.kill(hung.runId, 10s);
        const Outcome outcome = wait(hung.outcome);
        QCOMPARE(outcome.how, How::Killed);
        QVERIFY(!outcome.began());
        hasNoRemains(host);
    }

    void aHungStartEndsAtItsTimeLimit_data() { addPaths(); }
    void aHungStartEndsAtItsTimeLimit()
    {
        Host host;
        Command command = hanging(host);
        command.timeLimit = 100ms;
        command.startLimit = 0ms;
        const Outcome outcome = host.finish(command);
        QCOMPARE(outcome.how, How::TimedOut);
        QVERIFY(!outcome.began());
        hasNoRemains(host);
    }

    void theMachineIsToBlameAtLast_data() { addPaths(); }
    void theMachineIsToBlameAtLast()
    {
        Host host;
        Command command = hanging(host);
        command.startLimit = 3s; // in which the new process has come to where it hangs;
        const Outcome outcome = host.finish(command);
        QVERIFY(outcome.lackedResources());
        QVERIFY(!outcome.began());
        QVERIFY2(reasonOf(outcome).contains(m_dead->path(QStringLiteral("file"))), qPrintable(reasonOf(outcome)));
        hasNoRemains(host);
        othersGoOn(host);
    }

    void aHungStartDiesWithTheLease_data() { addPaths(); }
    void aHungStartDiesWithTheLease()
    {
        Host host;
        RunHandle hung = host.runner.run(hanging(host));
        othersGoOn(host);
        host.runner.setLease(async::TimePoint());
        // The lease is over, so no further job begins, and the hung one does not begin late.
        QVERIFY(!host.finish(host.shell("true")).began());
        host.runner.kill(hung.runId, 0s);
        QVERIFY(!wait(hung.outcome).began());
        hasNoRemains(host);
    }

    void aHungStartDiesWithTheRunner()
    {
        Host host;
        Command command = host.shell("touch begun");
        command.directory = bytes(m_dead->path(QStringLiteral("file")));
        command.outputCopy = bytes(host.folder.filePath(QStringLiteral("copy")));
        RunHandle hung = host.runner.run(command);
        QTRY_COMPARE_WITH_TIMEOUT(childrenOf(host.runner.runnerPid()).size(), 2, 60'000);
        const QList<pid_t> processes = childrenOf(host.runner.runnerPid());
        host.runner.killRunner();
        QVERIFY_THROWS_EXCEPTION(RunnerDied, wait(hung.outcome));
        QTRY_VERIFY_WITH_TIMEOUT(noneAlive(processes), 60'000);
    }

    void aCopyThatTakesNoMoreHarmsOneJob()
    {
        constexpr int Size = 400'000;
        Host host;
        Terminal terminal;
        Command command = host.shell("head -c 400000 /dev/zero");
        command.outputCopy = bytes(terminal.path());
        RunHandle writer = host.runner.run(command);
        QVERIFY(wait(writer.started));
        othersGoOn(host);
        QVERIFY(!writer.outcome.ready());
        qsizetype got = 0;
        QTRY_VERIFY_WITH_TIMEOUT((got += terminal.read()) == Size, 60'000);
        const Outcome outcome = wait(writer.outcome);
        QVERIFY2(outcome.succeeded() && reasonOf(outcome).isEmpty(), qPrintable(reasonOf(outcome)));
        QCOMPARE(outcome.outputBytes, quint64(Size));
    }

    void aCancelEndsAJobWhoseCopyTakesNoMore()
    {
        Host host;
        Terminal terminal;
        Command command = host.shell("head -c 400000 /dev/zero");
        command.outputCopy = bytes(terminal.path());
        RunHandle writer = host.runner.run(command);
        QVERIFY(wait(writer.started));
        host.runner.kill(writer.runId, 0s);
        QCOMPARE(wait(writer.outcome).how, How::Killed);
        hasNoRemains(host);
    }

    // It has ended by itself, and says what is missing.
    void aCancelEndsTheCopyingOfAJobThatHasEnded()
    {
        Host host;
        Terminal terminal;
        // More than a terminal takes, and less than it and the pipes before it, whose pages need not be full.
        Command command = host.shell("head -c 110000 /dev/zero; : > begun; rm begun; : > ended");
        command.outputCopy = bytes(terminal.path());
        RunHandle writer = host.runner.run(command);
        QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(host.folder.filePath(QStringLiteral("ended"))), 60'000);
        QTRY_COMPARE_WITH_TIMEOUT(childrenOf(host.runner.runnerPid()).size(), 1, 60'000); // that of the copy
        QVERIFY(!writer.outcome.ready());
        host.runner.kill(writer.runId, 10s);
        const Outcome outcome = wait(writer.outcome);
        QVERIFY(outcome.succeeded());
        QCOMPARE(reasonOf(outcome), u"cannot write '%1': it did not take all of it in time"_qs.arg(terminal.path()));
        hasNoRemains(host);
    }

    // Where the writer cannot even be killed. The output stays in the spool, and the slot is free for others.
    void aCopyThatHangsForeverDoesNotKeepTheJob()
    {
        Host host;
        test::StalledMount stalled;
        Command command = host.shell("echo kept");
        command.slotQueue = 1;
        command.output = bytes(host.spooled(QStringLiteral("kept")));
        command.outputCopy = bytes(stalled.path(QStringLiteral("copy")));
        command.copyLimit = 1s;
        RunHandle writer = host.runner.run(command);
        QTRY_COMPARE_WITH_TIMEOUT(stalled.writesThatHang(), 1, 60'000);
        Command next = host.shell("echo next");
        next.slotQueue = 1;
        QVERIFY(host.finish(next).succeeded());

        const Outcome outcome = wait(writer.outcome);
        QVERIFY(outcome.succeeded());
        QCOMPARE(reasonOf(outcome),
                 u"cannot write '%1': it has taken nothing for 1 s since the command ended, and is incomplete"_qs.arg(
                     QString::fromStdString(command.outputCopy)));
        QCOMPARE(contents(command.output), "kept\n");
        othersGoOn(host);

        QCOMPARE(childrenOf(host.runner.runnerPid()).size(), 1); // the writer, which the kernel holds
        stalled.answer();
        hasNoRemains(host);
        othersGoOn(host);
    }

    // As long as it takes something now and then it is waited for.
    void aSlowCopyIsWaitedFor()
    {
        Host host;
        Terminal terminal;
        Command command = host.shell("head -c 1000000 /dev/zero");
        command.outputCopy = bytes(terminal.path());
        command.copyLimit = 4s; // more than a pause of this loop, and less than all of them
        RunHandle writer = host.runner.run(command);
        qsizetype got = 0;
        QElapsedTimer reading;
        reading.start();
        while (!writer.outcome.ready() && reading.elapsed() < 60'000) {
            got += terminal.readPart();
            QTest::qWait(500);
        }
        QVERIFY(reading.elapsed() > 4000);
        const Outcome outcome = wait(writer.outcome);
        QVERIFY2(outcome.succeeded() && reasonOf(outcome).isEmpty(), qPrintable(reasonOf(outcome)));
        QTRY_COMPARE_WITH_TIMEOUT((got += terminal.read()), 1'000'000, 30'000);
    }

    void aCancelEndsACopyWhoseWriterCannotBeKilled()
    {
        Host host;
        test::StalledMount stalled;
        Command command = host.shell("echo kept");
        command.outputCopy = bytes(stalled.path(QStringLiteral("copy")));
        command.errorCopy = bytes(stalled.path(QStringLiteral("other")));
        RunHandle writer = host.runner.run(command);
        QTRY_COMPARE_WITH_TIMEOUT(stalled.writesThatHang(), 1, 60'000);
        QTRY_COMPARE_WITH_TIMEOUT(childrenOf(host.runner.runnerPid()).size(), 1, 60'000);
        host.runner.kill(writer.runId, 0s);
        const Outcome outcome = wait(writer.outcome);
        QVERIFY(outcome.succeeded()); // it has ended by itself
        QVERIFY2(reasonOf(outcome).startsWith(u"cannot write '%1'"_qs.arg(QString::fromStdString(command.outputCopy))),
                 qPrintable(reasonOf(outcome)));
        othersGoOn(host);
    }
};

QTEST_GUILESS_MAIN(RunnerHungTest)
#include "runner_hung_test.moc"
