#include "runner_fixture.h"
#include "workers/full_mount.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace drover::workers;
using namespace drover::workers::testing;

namespace {

constexpr quint64 MegaByte = 1024 * 1024;

Command eater(const Host &host, int megaBytes)
{
    return host.command({QCoreApplication::applicationFilePath().toUtf8(), "--eat", QByteArray::number(megaBytes)});
}

} // namespace

// What a job may use, and which files get its output as well.
class RunnerLimitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void limitsEachProcess();
    void saysWhichLimitCannotBe();
    void blamesTheMachineForWhatItLacks();
    void limitsMemory();
    void countsTheMemoryOfAllProcesses();
    void knowsAllProcessesOfAGroup();
    void copiesOutput();
    void beginsACopyAnew();
    void doesNotStartWithoutItsCopy();
    void aFullCopyIsReportedAndHarmless();
};

void RunnerLimitsTest::limitsEachProcess()
{
    Host host;
    Command command = host.shell("ulimit -n; ulimit -c; ulimit -Hf; sh -c 'ulimit -n'");
    command.limits = {RLIMIT_NOFILE, 77, RLIMIT_FSIZE, 512 * 1024};
    QVERIFY(host.finish(command).succeeded());
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), "77\n0\n1024\n77\n"); // no core files, blocks of 512 bytes

    command = host.shell("exec dd if=/dev/zero of=large bs=1K count=100");
    command.limits = {RLIMIT_FSIZE, 10 * 1024};
    QCOMPARE(host.finish(command).signal, SIGXFSZ);
    QCOMPARE(QFileInfo(host.folder.filePath(QStringLiteral("large"))).size(), 10 * 1024);
}

void RunnerLimitsTest::saysWhichLimitCannotBe()
{
    Host host;
    Command command = host.command({"true"});
    command.limits = {RLIMIT_NOFILE, RLIM_INFINITY}; // more than the kernel allows
    const Outcome outcome = host.finish(command);
    QCOMPARE(outcome.how, How::FailedToStart);
    QCOMPARE(outcome.exitCode, 126);
    QVERIFY2(reasonOf(outcome).contains(u"--ulimit"), qPrintable(reasonOf(outcome)));
}

// Wherever the descriptors run out on the way to the start.
void RunnerLimitsTest::blamesTheMachineForWhatItLacks()
{
    Host host;
    QVERIFY(host.finish(host.command({"true"})).succeeded());
    Command command = host.command({"true"});
    command.input = bytes(QStringLiteral("/dev/zero"));
    command.outputCopy = bytes(host.folder.filePath(QStringLiteral("copy")));
    const pid_t runner = host.runner.runnerPid();
    rlimit before{};
    QCOMPARE(::prlimit(runner, RLIMIT_NOFILE, nullptr, &before), 0);
    int refused = 0;
    for (rlim_t most = 4;; ++most) {
        QVERIFY(most < 100);
        const rlimit few{.rlim_cur = most, .rlim_max = before.rlim_max};
        QCOMPARE(::prlimit(runner, RLIMIT_NOFILE, &few, nullptr), 0);
        const Outcome outcome = host.finish(command);
        if (outcome.succeeded())
            break;
        QVERIFY2(outcome.lackedResources(), qPrintable(reasonOf(outcome)));
        QVERIFY(!outcome.began());
        ++refused;
    }
    QCOMPARE_GT(refused, 3); // the pipes, the copy, the directory, the input
}

void RunnerLimitsTest::limitsMemory()
{
    Host host;
    Command command = eater(host, 30);
    command.memory = 150 * MegaByte;
    const Outcome modest = host.finish(command);
    QVERIFY2(modest.succeeded(), modest.tail.c_str());
    QVERIFY(!modest.outOfMemory);
    command = eater(host, 300);
    command.memory = 150 * MegaByte;
    const Outcome greedy = host.finish(command);
    QVERIFY(!greedy.succeeded());
    QCOMPARE_LT(greedy.peakBytes, qint64(250 * MegaByte)); // with libraries, of which a group pays only its own pages
    QCOMPARE(greedy.outOfMemory, !memoryGroup().isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(groupsOf(host), QStringList(), 60'000);
}

void RunnerLimitsTest::countsTheMemoryOfAllProcesses()
{
    if (memoryGroup().isEmpty())
        QSKIP("no control groups here");
    Host host;
    const QByteArray self = QCoreApplication::applicationFilePath().toUtf8();
    Command command =
        host.shell("mkfifo gate ready; " + self + " --eat 90 < gate > ready & exec 3> gate; read line < ready; " + self
                   + " --eat 90; exec 3>&-; wait");
    command.memory = 150 * MegaByte;
    QVERIFY(host.finish(command).outOfMemory);
}

// Also those that have left the job's process group and dropped its environment, while another job runs.
void RunnerLimitsTest::knowsAllProcessesOfAGroup()
{
    if (memoryGroup().isEmpty())
        QSKIP("no control groups here");
    Host host;
    const RunHandle other = host.runner.run(host.command({"sleep", "1000"}));
    Command command = host.shell("(env -i setsid sh -c 'echo $$; exec sleep 1000 >&-' &) ; while ! [ -s spool/out ]; "
                                 "do :; done; echo $$ > group; read line < gate");
    command.memory = 150 * MegaByte;
    QCOMPARE(::mkfifo(QFile::encodeName(host.folder.filePath(QStringLiteral("gate"))).constData(), 0600), 0);
    const RunHandle job = host.runner.run(command);
    const QList<pid_t> pids = someIn(host.spooled(QStringLiteral("out")), 1, host.runner.runnerPid());
    QVERIFY(pids.size() == 1 && isAlive(pids[0]));
    QCOMPARE(groupsOf(host).size(), 1);
    host.runner.kill(job.runId, 0s);
    QCOMPARE(wait(job.outcome).how, How::Killed);
    QVERIFY(noneAlive(pids));
    QTRY_COMPARE_WITH_TIMEOUT(groupsOf(host), QStringList(), 60'000);
    QVERIFY(!other.outcome.ready());
}

void RunnerLimitsTest::copiesOutput()
{
    Host host;
    Command command = host.shell("echo one; echo two >&2; echo three");
    command.outputCopy = bytes(host.folder.filePath(QStringLiteral("new/folder/out")));
    command.errorCopy = bytes(host.folder.filePath(QStringLiteral("err")));
    const Outcome outcome = host.finish(command);
    QVERIFY(outcome.succeeded() && reasonOf(outcome).isEmpty());
    QCOMPARE(contents(command.outputCopy), "one\nthree\n");
    QCOMPARE(contents(command.errorCopy), "two\n");
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), "one\nthree\n");

    command.errorCopy = command.outputCopy; // both in one
    QVERIFY(host.finish(command).succeeded());
    const QByteArray both = contents(command.outputCopy);
    QCOMPARE(both.size(), 14);
    QVERIFY(both.contains("two\n")); // of another stream: anywhere
    QCOMPARE_LT(both.indexOf("one\n"), both.indexOf("three\n"));

    command = host.shell("yes | head -c 10000");
    command.outputCopy = bytes(host.folder.filePath(QStringLiteral("capped")));
    command.outputCap = 100;
    QVERIFY(host.finish(command).outputTruncated);
    QCOMPARE(contents(command.outputCopy), QByteArray("y\n").repeated(50));
}

// Also by a job that writes nothing.
void RunnerLimitsTest::beginsACopyAnew()
{
    Host host;
    Command command = host.shell("echo something long");
    command.outputCopy = bytes(host.folder.filePath(QStringLiteral("copy")));
    QVERIFY(host.finish(command).succeeded());
    command.arguments.back() = "echo short";
    QVERIFY(host.finish(command).succeeded());
    QCOMPARE(contents(command.outputCopy), "short\n");
    command.arguments.back() = "true";
    QVERIFY(host.finish(command).succeeded());
    QCOMPARE(contents(command.outputCopy), "");
}

void RunnerLimitsTest::doesNotStartWithoutItsCopy()
{
    Host host;
    const QString pipe = host.folder.filePath(QStringLiteral("pipe"));
    QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    const int reader = ::open(QFile::encodeName(pipe).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); // it would open
    QVERIFY(reader >= 0);
    for (const QString &path : {QStringLiteral("/proc/no/such"), host.folder.path(), pipe}) {
        Command command = host.shell("touch ran");
        command.errorCopy = bytes(path);
        const Outcome outcome = host.finish(command);
        QCOMPARE(outcome.how, How::FailedToStart);
        QCOMPARE(outcome.exitCode, 126);
        QVERIFY2(reasonOf(outcome).startsWith(QStringLiteral("cannot write the file '%1': ").arg(path)),
                 qPrintable(reasonOf(outcome)));
    }
    ::close(reader);
    QVERIFY(!QFileInfo::exists(host.folder.filePath(QStringLiteral("ran"))));
    Command quiet = host.shell("echo nowhere");
    quiet.outputCopy = "/dev/null";
    QVERIFY(host.finish(quiet).succeeded());
}

void RunnerLimitsTest::aFullCopyIsReportedAndHarmless()
{
    const drover::test::FullMount full; // before the runner: its jobs see the mounts that it finds
    if (!full.isMounted())
        QSKIP("only root can mount a full file system");
    Host host;
    Command command = host.shell("seq 1 5000");
    const QString file = full.path(QStringLiteral("out"));
    command.outputCopy = bytes(file);
    const Outcome outcome = host.finish(command);
    QVERIFY(outcome.succeeded());
    QCOMPARE(reasonOf(outcome), QStringLiteral("cannot write '%1': No space left on device").arg(file));
    QVERIFY(!outcome.outputTruncated);
    QVERIFY(contents(host.spooled(QStringLiteral("out"))).endsWith("\n5000\n"));
}

// Says so, and keeps it until the end of its input.
static int eat(int megaBytes)
{
    const QByteArray eaten(qsizetype(megaBytes) * qsizetype(MegaByte), 'x');
    [[maybe_unused]] const ssize_t told = ::write(STDOUT_FILENO, "eaten\n", 6);
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) { }
    return eaten.back() == 'x' ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && qstrcmp(argv[1], "--eat") == 0)
        return eat(QByteArray(argv[2]).toInt());
    QCoreApplication application(argc, argv);
    RunnerLimitsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "runner_limits_test.moc"
