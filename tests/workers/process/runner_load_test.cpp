#include "runner_fixture.h"
#include "support/sanitized.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>

#include <spawn.h>
#include <sys/wait.h>

using namespace drover;
using namespace drover::workers;
using namespace drover::workers::testing;

namespace {

constexpr int Many = test::Sanitized ? 200 : 2000;

// Runs `count` of /bin/true, one after the other, and counts those that succeeded.
async::Task<void> runInTurn(Runner &runner, Command command, int count, int &succeeded)
{
    for (int i = 0; i < count; ++i) {
        RunHandle job = runner.run(command);
        const Outcome outcome = co_await job.outcome;
        succeeded += outcome.succeeded();
    }
}

async::Task<void> quitWhenDrained(async::TaskGroup &work, QEventLoop &loop)
{
    co_await work.drained();
    loop.quit();
}

// `count` jobs, two at a time; how many succeeded.
int runTwoAtATime(Host &host, int count)
{
    int succeeded = 0;
    QEventLoop loop;
    async::TaskGroup work;
    async::TaskGroup end;
    Command command = host.command({"/bin/true"});
    command.output = bytes(host.spooled(QStringLiteral("out")));
    for (int slot = 0; slot < 2; ++slot)
        work.spawn(runInTurn(host.runner, command, count / 2, succeeded));
    end.spawn(quitWhenDrained(work, loop));
    QTimer::singleShot(2 * patience, &loop, &QEventLoop::quit);
    loop.exec();
    return succeeded;
}

pid_t spawnTrue()
{
    char program[] = "/bin/true";
    char *const arguments[] = {program, nullptr};
    char *const environment[] = {nullptr};
    pid_t pid = 0;
    return ::posix_spawn(&pid, program, nullptr, nullptr, arguments, environment) == 0 ? pid : 0;
}

// The least that two at a time can cost: posix_spawn and wait, nothing else.
int spawnTwoAtATime(int count)
{
    int succeeded = 0;
    int started = 0;
    const auto start = [&] { started += spawnTrue() != 0; };
    start();
    start();
    int status = 0;
    for (int ended = 0; ended<started && ::wait(&status)> 0; ++ended) {
        succeeded += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (started < count)
            start();
    }
    return succeeded;
}

} // namespace

class RunnerLoadTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsManyAtOnce();
    void losesNoReportWhenTheWorkerIsBusy();
    void leavesNothingBehind();
    void throughput();
};

void RunnerLoadTest::runsManyAtOnce()
{
    constexpr int count = 200;
    Host host;
    std::vector<RunHandle> jobs;
    for (int i = 0; i < count; ++i) {
        Command command = host.shell("echo " + QByteArray::number(i) + "; exec sleep 1000");
        command.output = bytes(host.spooled(QString::number(i)));
        jobs.push_back(host.runner.run(command));
    }
    QSet<pid_t> pids;
    for (int i = 0; i < count; ++i) {
        const std::optional<Started> started = wait(jobs[std::size_t(i)].started);
        QVERIFY(started);
        pids << started->pid;
        const QByteArray line = QByteArray::number(i) + '\n';
        QVERIFY(QTest::qWaitFor([&] { return contents(host.spooled(QString::number(i))) == line; }, 60'000));
    }
    QCOMPARE(pids.size(), count);
    QCOMPARE(childrenOf(host.runner.runnerPid()).size(), count);
    for (const RunHandle &job : jobs)
        host.runner.kill(job.runId, 10s);
    for (const RunHandle &job : jobs) {
        const Outcome outcome = wait(job.outcome);
        QCOMPARE(outcome.how, How::Killed);
        QCOMPARE(outcome.signal, SIGTERM);
    }
}

// The reports, of 4 KiB and more each, overflow the socket while the worker reads none of them.
void RunnerLoadTest::losesNoReportWhenTheWorkerIsBusy()
{
    constexpr int count = 200;
    QVERIFY(count * 4096 > 2 * contents(QStringLiteral("/proc/sys/net/core/wmem_default")).toInt());
    Host host;
    Command command = host.shell("seq 2000; echo >> ended");
    command.output.clear();
    std::vector<RunHandle> jobs;
    for (int i = 0; i < count; ++i)
        jobs.push_back(host.runner.run(command));
    const pid_t runner = host.runner.runnerPid();
    const auto allEnded = [&] {
        return QFileInfo(host.folder.filePath(QStringLiteral("ended"))).size() == count && childrenOf(runner).isEmpty();
    };
    const QDeadlineTimer deadline(patience);
    while (!allEnded() && !deadline.hasExpired()) // no event is processed here
        QThread::yieldCurrentThread();
    QVERIFY(allEnded());
    for (const RunHandle &job : jobs) {
        const Outcome outcome = wait(job.outcome);
        QVERIFY2(outcome.succeeded(), qPrintable(reasonOf(outcome)));
        QCOMPARE(outcome.outputBytes, 8893u);
        QCOMPARE(outcome.tail.size(), 4096u);
    }
}

void RunnerLoadTest::leavesNothingBehind()
{
    Host host;
    QVERIFY(host.finish(host.command({"true"})).succeeded());
    const pid_t runner = host.runner.runnerPid();
    const auto descriptors = [](pid_t pid) {
        return QDir(QStringLiteral("/proc/%1/fd").arg(pid)).entryList(QDir::Files | QDir::System).size();
    };
    const auto theirs = descriptors(runner);
    const auto ours = descriptors(::getpid());
    QCOMPARE(runTwoAtATime(host, Many), Many);
    QCOMPARE(host.runner.runnerPid(), runner);
    QCOMPARE(descriptors(runner), theirs);
    QCOMPARE(descriptors(::getpid()), ours);
    QCOMPARE(childrenOf(runner), QList<pid_t>());
    QCOMPARE(QDir(host.folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList());
}

// Prints what the detour over another process costs; the figure in workers/README.md is this one's.
void RunnerLoadTest::throughput()
{
    constexpr int count = Many;
    constexpr int rounds = test::Sanitized ? 1 : 3;
    Host host;
    QCOMPARE(runTwoAtATime(host, 100), 100); // starts the runner
    QElapsedTimer timer;
    for (int round = 0; round < rounds; ++round) {
        timer.start();
        QCOMPARE(spawnTwoAtATime(count), count);
        const double plain = count * 1e9 / double(timer.nsecsElapsed());
        timer.start();
        QCOMPARE(runTwoAtATime(host, count), count);
        const double ours = count * 1e9 / double(timer.nsecsElapsed());
        qInfo("/bin/true, 2 in flight: posix_spawn %.0f/s, RunnerClient %.0f/s, ratio %.2f", plain, ours, ours / plain);
    }
}

QTEST_GUILESS_MAIN(RunnerLoadTest)
#include "runner_load_test.moc"
