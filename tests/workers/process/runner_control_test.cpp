#include "runner_fixture.h"
#include "support/send_signal.h"

#include <QProcess>
#include <QSignalSpy>

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

using namespace drover::workers;
using namespace drover::workers::testing;
using drover::async::BootClock;
using drover::test::sendSignal;

namespace {

constexpr int patienceMs = int(std::chrono::milliseconds(patience).count());

// A shell and its child, both asleep; it writes their process numbers.
const QByteArray sleepers = QByteArrayLiteral("sleep 1000 & echo $$ $!; wait");

// Waits until the sleepers have told who they are.
QList<pid_t> sleepersIn(const QString &path)
{
    return someIn(path, 2);
}

// Its jobs tell of their processes by the numbers that we know them by; runner_tree_test looks at the others.
class VisibleHost : public Host
{
public:
    VisibleHost() : Host(ProcessView::Machine) { }
};

bool die(const QList<pid_t> &pids)
{
    return QTest::qWaitFor([&] { return noneAlive(pids); }, patienceMs);
}

} // namespace

// How jobs are ended: by time, by request, by the lease, and by the death of those who watch over them.
class RunnerControlTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void endsAtTheTimeLimit();
    void killsAfterTheGrace();
    void killsByRequest();
    void forwardsSignals();
    void ignoresUnknownTokens();
    void startsNothingWithoutALease();
    void killsWhenTheLeaseExpires();
    void keepsJobsWhileTheLeaseIsRenewed();
    void killsOrphansWhenTheLeaseExpires();
    void enforcesTheLeaseWhileTheDiskHangs();
    void killsWhenTheWorkerIsStopped();
    void killsWhenTheWorkerDies();
    void killsWhenTheRunnerDies();
    void aStoppedRunnerCanBeKilled();
    void killsWhenItIsDestroyed();
    void ignoresTheTerminalsSignals();
    void saysWhyThereIsNoRunner();
};

void RunnerControlTest::endsAtTheTimeLimit()
{
    VisibleHost host;
    Command command = host.shell(sleepers);
    command.timeLimit = 3s;
    const Outcome outcome = host.finish(command);
    QCOMPARE(outcome.how, How::TimedOut);
    QCOMPARE(outcome.signal, SIGTERM);
    QCOMPARE_GE(outcome.elapsed, 3s);
    const QList<pid_t> pids = sleepersIn(host.spooled(QStringLiteral("out")));
    QCOMPARE(pids.size(), 2);
    QVERIFY(die(pids));
}

void RunnerControlTest::killsAfterTheGrace()
{
    VisibleHost host;
    Command polite = host.shell("trap 'echo bye; exit 5' TERM; sleep 1000 & wait");
    polite.timeLimit = 3s; // in which it has set its trap
    polite.grace = patience;
    const Outcome left = host.finish(polite);
    QCOMPARE(left.how, How::TimedOut);
    QCOMPARE(left.exitCode, 5);
    QCOMPARE(left.tail, std::string("bye\n"));

    Command stubborn = host.shell("trap '' TERM; echo ready; while :; do sleep 1; done");
    stubborn.timeLimit = 3s;
    stubborn.grace = 200ms;
    const Outcome killed = host.finish(stubborn);
    QCOMPARE(killed.how, How::TimedOut);
    QCOMPARE(killed.signal, SIGKILL);
    QCOMPARE_GE(killed.elapsed, 3200ms);
    QCOMPARE(killed.tail, std::string("ready\n"));
}

void RunnerControlTest::killsByRequest()
{
    VisibleHost host;
    for (const std::chrono::milliseconds grace : {0ms, 60'000ms}) {
        QFile::remove(host.spooled(QStringLiteral("out")));
        RunHandle job = host.runner.run(host.shell(sleepers));
        (void)wait(job.started);
        const QList<pid_t> pids = sleepersIn(host.spooled(QStringLiteral("out")));
        QCOMPARE(pids.size(), 2);
        host.runner.kill(job.runId, grace);
        const Outcome outcome = wait(job.outcome);
        QCOMPARE(outcome.how, How::Killed);
        QCOMPARE(outcome.signal, grace == 0ms ? SIGKILL : SIGTERM);
        QVERIFY(die(pids));
    }
}

void RunnerControlTest::forwardsSignals()
{
    VisibleHost host;
    RunHandle job = host.runner.run(host.shell("trap 'exit 9' USR1; echo ready; while :; do sleep 0.01; done"));
    QVERIFY(QTest::qWaitFor([&] { return QFileInfo::exists(host.spooled(QStringLiteral("out"))); }, patienceMs));
    host.runner.signal(job.runId, SIGUSR1);
    const Outcome outcome = wait(job.outcome);
    // The shell's child is in the group too, and dies of it first.
    QCOMPARE(outcome.how, How::Exited);
    QCOMPARE(outcome.exitCode, 9);
}

void RunnerControlTest::ignoresUnknownTokens()
{
    VisibleHost host;
    host.runner.kill(99, 0s);
    RunHandle job = host.runner.run(host.command({"true"}));
    QVERIFY(wait(job.outcome).succeeded());
    host.runner.kill(job.runId, 0s);
    host.runner.signal(job.runId, SIGKILL);
    QVERIFY(host.finish(host.command({"true"})).succeeded());
}

void RunnerControlTest::startsNothingWithoutALease()
{
    VisibleHost host;
    RunnerClient fresh;
    QCOMPARE(wait(fresh.run(host.command({"true"})).outcome).how, How::LeaseExpired);
    fresh.setLease(BootClock::now() + 1h);
    QVERIFY(wait(fresh.run(host.command({"true"})).outcome).succeeded());
    fresh.setLease(BootClock::now());
    RunHandle refused = fresh.run(host.command({"true"}));
    QVERIFY(!wait(refused.started));
    QCOMPARE(wait(refused.outcome).how, How::LeaseExpired);
}

void RunnerControlTest::killsWhenTheLeaseExpires()
{
    VisibleHost host;
    const auto lease = BootClock::now() + 5s;
    host.runner.setLease(lease);
    const Outcome outcome = host.finish(host.shell(sleepers));
    QVERIFY(BootClock::now() >= lease);
    QCOMPARE(outcome.how, How::LeaseExpired);
    QCOMPARE(outcome.signal, SIGKILL);
    QVERIFY(!reasonOf(outcome).isEmpty());
    QVERIFY(die(pidsIn(host.spooled(QStringLiteral("out")))));

    const pid_t before = host.runner.runnerPid();
    host.runner.setLease(drover::async::TimePoint::max());
    QVERIFY(host.finish(host.command({"true"})).succeeded());
    QCOMPARE(host.runner.runnerPid(), before);
}

void RunnerControlTest::keepsJobsWhileTheLeaseIsRenewed()
{
    VisibleHost host;
    QTimer renewal;
    connect(&renewal, &QTimer::timeout, this, [&] { host.runner.setLease(BootClock::now() + 5s); });
    host.runner.setLease(BootClock::now() + 5s);
    renewal.start(100ms);
    QVERIFY(host.finish(host.shell("sleep 6")).succeeded()); // longer than any one lease
}

void RunnerControlTest::killsOrphansWhenTheLeaseExpires()
{
    VisibleHost host;
    host.runner.setLease(BootClock::now() + 5s);
    const Outcome outcome = host.finish(host.shell("setsid sh -c 'echo $$; exec sleep 1000' & sleep 1000"));
    QCOMPARE(outcome.how, How::LeaseExpired);
    const QList<pid_t> escaped = pidsIn(host.spooled(QStringLiteral("out")));
    QCOMPARE(escaped.size(), 1);
    QVERIFY(die(escaped));
}

// A pipe without a reader stands for a disk that hangs: the runner's loop is stuck in write(2).
void RunnerControlTest::enforcesTheLeaseWhileTheDiskHangs()
{
    VisibleHost host;
    const QString disk = host.folder.filePath(QStringLiteral("disk"));
    const QByteArray path = QFile::encodeName(disk);
    QCOMPARE(::mkfifo(path.constData(), 0600), 0);
    const int reader = ::open(path.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    QVERIFY(reader >= 0);

    host.runner.setLease(BootClock::now() + 8s);
    Command other = host.shell(sleepers);
    RunHandle sleeping = host.runner.run(other);
    const QList<pid_t> pids = sleepersIn(host.spooled(QStringLiteral("out")));
    QCOMPARE(pids.size(), 2);
    Command loud = host.shell("echo $$ > loud; exec yes");
    loud.output = bytes(disk);
    RunHandle stuck = host.runner.run(loud);
    const auto unread = [&] {
        int bytes = 0;
        ::ioctl(reader, FIONREAD, &bytes);
        return bytes;
    };
    QVERIFY(QTest::qWaitFor([&] { return unread() > 32 * 1024; }, patienceMs));
    const QList<pid_t> loudPids = pidsIn(host.folder.filePath(QStringLiteral("loud")));
    QCOMPARE(loudPids.size(), 1);
    QVERIFY(die(pids + loudPids)); // by the lease guard alone
    QVERIFY(!sleeping.outcome.ready()); // the loop could not even tell

    QTimer back; // the disk takes all there is
    QObject::connect(&back, &QTimer::timeout, [reader] {
        char bytes[64 * 1024];
        while (::read(reader, bytes, sizeof bytes) > 0) { }
    });
    back.start(1ms);
    QCOMPARE(wait(sleeping.outcome).how, How::LeaseExpired);
    QCOMPARE(wait(stuck.outcome).how, How::LeaseExpired);
    ::close(reader);
}

namespace {

// This program again, as a worker that renews its lease and runs the sleepers (see host() below).
class OtherWorker
{
public:
    OtherWorker()
    {
        m_process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--host"), m_folder.path()});
        jobs = sleepersIn(m_folder.filePath(QStringLiteral("out")));
        runner = pidsIn(m_folder.filePath(QStringLiteral("runner"))).value(0);
    }
    ~OtherWorker()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    bool works() const { return jobs.size() == 2 && isAlive(jobs[0]) && isAlive(jobs[1]) && isAlive(runner); }
    void signal(int number) { sendSignal(m_process, number); }

    QList<pid_t> jobs;
    pid_t runner = 0;

private:
    QTemporaryDir m_folder;
    QProcess m_process;
};

} // namespace

void RunnerControlTest::killsWhenTheWorkerIsStopped()
{
    OtherWorker worker;
    QVERIFY(worker.works());
    worker.signal(SIGSTOP);
    QVERIFY(die(worker.jobs));
    QVERIFY(isAlive(worker.runner)); // it waits for the worker to wake up and hear of it
    worker.signal(SIGCONT);
}

void RunnerControlTest::killsWhenTheWorkerDies()
{
    OtherWorker worker;
    QVERIFY(worker.works());
    worker.signal(SIGKILL);
    QVERIFY(die(worker.jobs));
    QVERIFY(die({worker.runner}));
}

void RunnerControlTest::killsWhenTheRunnerDies()
{
    VisibleHost host;
    const QSignalSpy deaths(&host.runner, &RunnerClient::died);
    RunHandle first = host.runner.run(host.shell(sleepers));
    Command quiet = host.command({"sleep", "1000"});
    RunHandle second = host.runner.run(quiet);
    const std::optional<Started> started = wait(second.started);
    const QList<pid_t> pids = sleepersIn(host.spooled(QStringLiteral("out")));
    QCOMPARE(pids.size(), 2);
    const pid_t dead = host.runner.runnerPid();
    ::kill(dead, SIGKILL);

    QVERIFY_THROWS_EXCEPTION(RunnerDied, (void)wait(first.outcome));
    QVERIFY_THROWS_EXCEPTION(RunnerDied, (void)wait(second.outcome));
    QVERIFY(die(pids + QList<pid_t>{started->pid}));
    QCOMPARE(deaths.size(), 1);
    QVERIFY(deaths[0][0].toString().contains(u"by signal 9"));
    QCOMPARE(host.runner.runnerPid(), 0);

    QVERIFY(host.finish(host.command({"true"})).succeeded());
    QVERIFY(host.runner.runnerPid() != dead);
}

void RunnerControlTest::aStoppedRunnerCanBeKilled()
{
    VisibleHost host;
    const RunHandle job = host.runner.run(host.shell(sleepers));
    const QList<pid_t> pids = sleepersIn(host.spooled(QStringLiteral("out")));
    QCOMPARE(pids.size(), 2);
    ::kill(host.runner.runnerPid(), SIGSTOP);
    host.runner.kill(job.runId, 0s); // waits in the socket
    host.runner.killRunner();
    QVERIFY_THROWS_EXCEPTION(RunnerDied, (void)wait(job.outcome));
    QVERIFY(die(pids));
    QVERIFY(host.finish(host.command({"true"})).succeeded());
}

void RunnerControlTest::killsWhenItIsDestroyed()
{
    std::optional<VisibleHost> host(std::in_place);
    RunHandle job = host->runner.run(host->shell(sleepers));
    const QList<pid_t> pids = sleepersIn(host->spooled(QStringLiteral("out")));
    const pid_t runner = host->runner.runnerPid();
    QVERIFY(pids.size() == 2 && isAlive(runner));
    host.reset();
    QVERIFY(noneAlive(pids + QList<pid_t>{runner}));
    QVERIFY(::kill(runner, 0) != 0 && errno == ESRCH); // not a zombie either
    QVERIFY_THROWS_EXCEPTION(RunnerDied, (void)wait(job.outcome));
}

void RunnerControlTest::ignoresTheTerminalsSignals()
{
    VisibleHost host;
    QCOMPARE(::mkfifo(QFile::encodeName(host.folder.filePath(QStringLiteral("gate"))).constData(), 0600), 0);
    RunHandle job = host.runner.run(host.shell("echo ready; read line < gate"));
    QVERIFY(wait(job.started));
    const pid_t runner = host.runner.runnerPid();
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT})
        ::kill(runner, number);
    QCOMPARE(::getsid(runner), runner); // and the terminal's do not even reach it
    QVERIFY(host.finish(host.command({"true"})).succeeded());
    QCOMPARE(host.runner.runnerPid(), runner);
    host.runner.kill(job.runId, 0s);
    QCOMPARE(wait(job.outcome).how, How::Killed);
}

void RunnerControlTest::saysWhyThereIsNoRunner()
{
    VisibleHost host;
    RunnerClient absent(RunnerClient::Options{.program = QStringLiteral("/no/such/drover-runner")});
    RunHandle job = absent.run(host.command({"true"}));
    QVERIFY_THROWS_EXCEPTION(RunnerDied, (void)wait(job.started));
    try {
        (void)wait(job.outcome);
        QFAIL("there is no such program");
    } catch (const NoRunner &error) {
        QCOMPARE(error.what(), "cannot start the job runner '/no/such/drover-runner': No such file or directory");
    }

    RunnerClient other(RunnerClient::Options{.program = QStringLiteral("/bin/true")}); // starts, but is no runner
    other.setLease(drover::async::TimePoint::max());
    QVERIFY_THROWS_EXCEPTION(NoRunner, (void)wait(other.run(host.command({"true"})).outcome));
    QCOMPARE(other.runnerPid(), 0);

    QProcess byHand;
    byHand.start(RunnerClient::findProgram(), {});
    QVERIFY(byHand.waitForFinished());
    QCOMPARE(byHand.exitCode(), 2);
    QVERIFY(byHand.readAllStandardError().contains("drover worker"));
}

// A worker with a lease of three seconds that runs the sleepers, until it is killed.
static int host(const QString &folder)
{
    RunnerClient runner(RunnerClient::Options{.view = ProcessView::Machine});
    QTimer renewal;
    const auto renew = [&] { runner.setLease(BootClock::now() + 3s); };
    renew();
    QObject::connect(&renewal, &QTimer::timeout, renew);
    renewal.start(200ms);
    const RunHandle job = runner.run({.arguments = {"sh", "-c", sleepers.toStdString()},
                                      .directory = bytes(folder),
                                      .output = bytes(folder + u"/out"_qs)});
    return tellRunnerAndStay(folder, runner);
}

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 3 && qstrcmp(argv[1], "--host") == 0)
        return host(QFile::decodeName(argv[2]));
    RunnerControlTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "runner_control_test.moc"
