#include "output/spool_files.h"
#include "runner_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace drover;
using namespace drover::workers;
using namespace drover::workers::testing;

namespace {

// As seq prints them.
QByteArray numbersTo(int last)
{
    QByteArray text;
    for (int i = 1; i <= last; ++i)
        text += QByteArray::number(i) + '\n';
    return text;
}

} // namespace

// What becomes of one command: its streams, surroundings, result and costs.
class RunnerTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reportsExitCodes();
    void reportsSignals();
    void explainsWhatCannotStart_data();
    void explainsWhatCannotStart();
    void refusesJobsThatNoWorkerCanRun();
    void searchesTheJobsOwnPath();
    void passesTheEnvironmentExactly();
    void passesLargeSpecs();
    void readsInput();
    void entersTheDirectory();
    void inheritsNothingElse();
    void keepsOutputPrivately();
    void makesNoFileWithoutOutput();
    void capsOutputAndKeepsDraining();
    void keepsTheBeginningAndTheEnd_data();
    void keepsTheBeginningAndTheEnd();
    void keptOutputCanBeReadMeanwhile();
    void survivesAFullDisk();
    void keepsTheTail();
    void recordsCpuAndMemory();
};

void RunnerTest::reportsExitCodes()
{
    Host host;
    const Outcome good = host.finish(host.command({"true"}));
    QVERIFY(good.succeeded());
    QVERIFY(reasonOf(good).isEmpty());
    QVERIFY(good.startedAt.count() > 0 && good.startedAt <= good.finishedAt);

    RunHandle running = host.runner.run(host.shell("exit 7"));
    const std::optional<Started> started = wait(running.started);
    QVERIFY(started && started->pid > 0 && started->startedAt.count() > 0);
    const Outcome bad = wait(running.outcome);
    QCOMPARE(bad.how, How::Exited);
    QCOMPARE(bad.exitCode, 7);
    QVERIFY(!bad.succeeded());
}

void RunnerTest::reportsSignals()
{
    Host host;
    const Outcome outcome = host.finish(host.shell("kill -SEGV $$"));
    QCOMPARE(outcome.how, How::Signalled);
    QCOMPARE(outcome.signal, SIGSEGV);
    QCOMPARE(outcome.exitCode, 0);
}

void RunnerTest::explainsWhatCannotStart_data()
{
    QTest::addColumn<QByteArray>("program");
    QTest::addColumn<QString>("directory");
    QTest::addColumn<QString>("input");
    QTest::addColumn<int>("exitCode");
    QTest::addColumn<QString>("reason");
    const QString none;
    QTest::newRow("not in PATH") << QByteArray("no-such-command") << none << none << 127 << "is not in the job's PATH";
    QTest::newRow("empty name") << QByteArray("") << none << none << 127 << "is not in the job's PATH";
    QTest::newRow("no such path") << QByteArray("/no/such") << none << none << 127 << "does not exist";
    QTest::newRow("not executable") << QByteArray("./plain") << none << none << 126 << "Permission denied";
    QTest::newRow("a directory") << QByteArray("/tmp") << none << none << 126 << "Permission denied";
    QTest::newRow("no #! line") << QByteArray("./bare") << none << none << 126 << "#! line";
    QTest::newRow("no interpreter") << QByteArray("./orphan") << none << none << 127 << "interpreter";
    QTest::newRow("no directory") << QByteArray("true") << "/no/such/folder" << none << 126
                                  << "cannot enter the directory '/no/such/folder'";
    // A pipe without a writer must block neither the job nor, worse, the runner.
    for (const char *const name : {"folder", "fifo"})
        QTest::newRow(name) << QByteArray("true") << none << name << 126 << "': it is neither a file nor a device";
    QTest::newRow("no input") << QByteArray("true") << none << "absent" << 126 << "cannot read the input file 'absent'";
}

void RunnerTest::explainsWhatCannotStart()
{
    QFETCH(QByteArray, program);
    QFETCH(QString, directory);
    QFETCH(QString, input);
    QFETCH(int, exitCode);
    QFETCH(QString, reason);

    Host host;
    const auto write = [&](const QString &name, const QByteArray &text, bool executable) {
        QFile file(host.folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.setPermissions(executable ? QFile::ReadOwner | QFile::ExeOwner : QFile::ReadOwner);
    };
    write(QStringLiteral("plain"), "#!/bin/sh\n", false);
    write(QStringLiteral("bare"), "exit 0\n", true);
    write(QStringLiteral("orphan"), "#!/no/interpreter\n", true);
    QVERIFY(QDir(host.folder.path()).mkdir(QStringLiteral("folder")));
    QCOMPARE(::mkfifo(qPrintable(host.folder.filePath(QStringLiteral("fifo"))), 0600), 0);

    Command command = host.command({program});
    command.input = bytes(input);
    if (!directory.isEmpty())
        command.directory = bytes(directory);
    RunHandle running = host.runner.run(command);
    const Outcome outcome = wait(running.outcome);
    QCOMPARE(outcome.how, How::FailedToStart);
    QCOMPARE(outcome.exitCode, exitCode);
    QVERIFY2(reasonOf(outcome).contains(reason), qPrintable(reasonOf(outcome)));
    QVERIFY(!wait(running.started));
}

void RunnerTest::refusesJobsThatNoWorkerCanRun()
{
    Host host;
    Command nul = host.command({"true"});
    nul.environment.push_back(std::string("A=\0B", 4));
    const Command large = host.command({"true", QByteArray(200'000, 'x')});
    for (const Command &command : {host.command({}), nul, large}) {
        const Outcome outcome = host.finish(command);
        QCOMPARE(outcome.how, How::FailedToStart);
        QCOMPARE(outcome.exitCode, 126);
        QVERIFY(!reasonOf(outcome).isEmpty());
    }
    QVERIFY(host.finish(host.command({"true"})).succeeded());
}

void RunnerTest::searchesTheJobsOwnPath()
{
    Host host;
    QVERIFY(QDir(host.folder.path()).mkdir(QStringLiteral("bin")));
    QVERIFY(QFile::link(QStringLiteral("/bin/true"), host.folder.filePath(QStringLiteral("bin/mine"))));
    Command command = host.command({"mine"});
    QCOMPARE(host.finish(command).exitCode, 127);
    command.environment = {"PATH=/nowhere:bin"}; // relative to the job's directory
    QVERIFY(host.finish(command).succeeded());
    command.environment = {};
    command.arguments = {"true"};
    QVERIFY(host.finish(command).succeeded()); // the system's default PATH
}

void RunnerTest::passesTheEnvironmentExactly()
{
    Host host;
    Command command = host.command({"/usr/bin/env"});
    command.environment = {"A=1", "B=two words\twith a tab", "EMPTY=", "PATH=/nowhere"};
    QVERIFY(host.finish(command).succeeded());
    const QByteArray all = contents(host.spooled(QStringLiteral("out")));
    const QByteArray given = QByteArrayLiteral("A=1\nB=two words\twith a tab\nEMPTY=\nPATH=/nowhere\n");
    QVERIFY(all.startsWith(given));
    const QByteArrayList tag = all.mid(given.size()).split('\n');
    QCOMPARE(tag.size(), 2);
    QVERIFY(tag[0].startsWith("DROVER_RUN=") && tag[1].isEmpty());
}

void RunnerTest::passesLargeSpecs()
{
    Host host;
    Command command = host.shell("printf %s \"$1$BIG\"");
    command.arguments.insert(command.arguments.end(), {"sh", std::string(64 * 1024, 'a')});
    command.environment.push_back("BIG=" + std::string(64 * 1024, 'b'));
    const Outcome outcome = host.finish(command);
    QVERIFY2(outcome.succeeded(), qPrintable(reasonOf(outcome)));
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), QByteArray(64 * 1024, 'a') + QByteArray(64 * 1024, 'b'));
}

void RunnerTest::readsInput()
{
    Host host;
    QFile file(host.folder.filePath(QStringLiteral("in")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("three\nshort\nlines\n");
    file.close();
    Command command = host.command({"wc", "-l"});
    command.input = bytes(file.fileName());
    QVERIFY(host.finish(command).succeeded());
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), "3\n");

    command.input.clear();
    QVERIFY(host.finish(command).succeeded());
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), "0\n");
}

void RunnerTest::entersTheDirectory()
{
    Host host;
    Command command = host.command({"/bin/pwd", "-P"});
    command.directory = bytes(QStringLiteral("/usr/share"));
    QVERIFY(host.finish(command).succeeded());
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), "/usr/share\n");
}

// No descriptor, no blocked or ignored signal, no raised limit of the runner's.
void RunnerTest::inheritsNothingElse()
{
    Host host;
    QVERIFY(host.finish(host.command({"ls", "/proc/self/fd"})).succeeded());
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), "0\n1\n2\n3\n"); // 3 is the listing itself

    for (const char *const mask : {"^SigBlk:", "^SigIgn:"}) {
        QVERIFY(host.finish(host.command({"grep", mask, "/proc/self/status"})).succeeded());
        const quint64 signalSet =
            contents(host.spooled(QStringLiteral("out"))).mid(8).trimmed().toULongLong(nullptr, 16);
        QCOMPARE(signalSet & 0x7fffffff, 0u); // above are real-time signals, two of which libc reserves
    }

    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    QVERIFY(host.finish(host.shell("ulimit -n; ulimit -c")).succeeded());
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), QByteArray::number(qulonglong(files.rlim_cur)) + "\n0\n");
}

void RunnerTest::keepsOutputPrivately()
{
    Host host;
    const Outcome outcome = host.finish(host.shell("echo to stdout; echo to stderr >&2"));
    QVERIFY(outcome.succeeded());
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), "to stdout\n");
    QCOMPARE(contents(host.spooled(QStringLiteral("err"))), "to stderr\n");
    QCOMPARE(outcome.outputBytes, 10u);
    QCOMPARE(outcome.errorBytes, 10u);
    QVERIFY(!outcome.outputTruncated && !outcome.errorTruncated);
    const auto mode = [&](const QString &name) {
        struct stat info {
        };
        ::stat(QFile::encodeName(host.spooled(name)).constData(), &info);
        return info.st_mode & 07777;
    };
    QCOMPARE(mode(QString()), 0700u);
    QCOMPARE(mode(QStringLiteral("out")), 0600u);
}

void RunnerTest::makesNoFileWithoutOutput()
{
    Host host;
    QVERIFY(host.finish(host.command({"true"})).succeeded());
    QVERIFY(!QFileInfo::exists(host.spooled(QString())));

    Command command = host.shell("echo dropped");
    command.output.clear();
    const Outcome outcome = host.finish(command);
    QCOMPARE(outcome.outputBytes, 8u);
    QCOMPARE(outcome.tail, std::string("dropped\n"));
    QVERIFY(!outcome.outputTruncated);
}

void RunnerTest::capsOutputAndKeepsDraining()
{
    constexpr quint64 cap = 1024 * 1024;
    Host host;
    Command command = host.shell("yes | head -c 100M");
    command.outputCap = cap;
    const Outcome outcome = host.finish(command);
    QVERIFY(outcome.succeeded());
    QCOMPARE(outcome.outputBytes, 100 * cap);
    QVERIFY(outcome.outputTruncated && !outcome.errorTruncated);
    QCOMPARE(contents(host.spooled(QStringLiteral("out"))), QByteArray("y\n").repeated(cap / 4)); // the first half

    command.arguments.back() = "yes | head -c 1M"; // just fits
    QVERIFY(!host.finish(command).outputTruncated);
    QCOMPARE(QFileInfo(host.spooled(QStringLiteral("out"))).size(), qint64(cap));
}

void RunnerTest::keepsTheBeginningAndTheEnd_data()
{
    QTest::addColumn<quint64>("cap");
    for (const quint64 cap : {4u, 7u, 100u, 1024u, 20'000u, 23'892u})
        QTest::addRow("%llu of 23,893 bytes", qulonglong(cap)) << cap;
}

void RunnerTest::keepsTheBeginningAndTheEnd()
{
    QFETCH(quint64, cap);
    Host host;
    Command command = host.shell("seq 1 5000");
    command.outputCap = cap;
    QVERIFY(host.finish(command).outputTruncated);
    const QByteArray all = numbersTo(5000);
    const auto quarter = static_cast<qint64>(cap / 4);
    const output::SpoolFiles files{host.spooled(QStringLiteral("out")), host.spooled(QStringLiteral("err"))};
    output::OutputRequest request;
    request.outputFrom = 0;
    const output::OutputReply::Part beginning = *output::readSpool(files, request).output;
    QCOMPARE(beginning, (output::OutputReply::Part{all.size(), all.first(qint64(cap) - 2 * quarter)}));
    request.outputFrom = beginning.length();
    const output::OutputReply::Part end = *output::readSpool(files, request).output;
    QCOMPARE(beginning.length() + end.length(), all.size());
    QVERIFY(end.skipped > 0 && end.bytes.size() >= quarter && end.bytes.size() <= 2 * quarter);
    QCOMPARE(end.bytes, all.last(end.bytes.size()));
}

// However fast it rotates: never a wrong byte, never one twice, and the end in any case.
void RunnerTest::keptOutputCanBeReadMeanwhile()
{
    Host host;
    Command command = host.shell("seq 1 300000");
    command.outputCap = 64 * 1024;
    const QByteArray all = numbersTo(300'000);
    const output::SpoolFiles files{host.spooled(QStringLiteral("out")), host.spooled(QStringLiteral("err"))};
    const RunHandle job = host.runner.run(command);
    output::OutputRequest request;
    request.outputFrom = 0;
    const QDeadlineTimer deadline(patience);
    while (*request.outputFrom < all.size()) {
        QVERIFY(!deadline.hasExpired());
        QCoreApplication::processEvents();
        const output::OutputReply::Part part = *output::readSpool(files, request).output;
        QVERIFY(part.bytes == all.mid(*request.outputFrom + part.skipped, part.bytes.size()));
        *request.outputFrom += part.length();
    }
    QVERIFY(wait(job.outcome).outputTruncated);
}

void RunnerTest::survivesAFullDisk()
{
    Host host;
    Command command = host.shell("seq 100000; echo fine >&2");
    command.output = bytes(QStringLiteral("/dev/full"));
    const Outcome full = host.finish(command);
    QVERIFY(full.succeeded());
    QVERIFY(full.outputTruncated && !full.errorTruncated);
    QCOMPARE(full.outputBytes, 588895u);
    QVERIFY2(reasonOf(full).contains(u"No space left"), qPrintable(reasonOf(full)));
    QCOMPARE(contents(host.spooled(QStringLiteral("err"))), "fine\n");

    command.output = bytes(QStringLiteral("/proc/no/such"));
    const Outcome absent = host.finish(command);
    QVERIFY(absent.succeeded() && absent.outputTruncated);
    QVERIFY2(reasonOf(absent).startsWith(u"cannot create '/proc/no/such'"), qPrintable(reasonOf(absent)));
}

void RunnerTest::keepsTheTail()
{
    Host host;
    const Outcome outcome = host.finish(host.shell("seq 20000"));
    QCOMPARE(outcome.tail, contents(host.spooled(QStringLiteral("out"))).last(4096).toStdString());
    const Outcome both = host.finish(host.shell("echo one; echo two >&2"));
    QVERIFY(both.tail == "one\ntwo\n" || both.tail == "two\none\n");
}

void RunnerTest::recordsCpuAndMemory()
{
    constexpr qint64 large = 200 * 1024 * 1024;
    Host host;
    QByteArray ballast(large, 'x'); // a forked child of this process would count it
    const Outcome small = host.finish(host.command({"true"}));
    QCOMPARE_GT(small.peakBytes, 0);
    QCOMPARE_LT(small.peakBytes, large / 2);
    QCOMPARE(ballast.back(), 'x');

    const Outcome burned = host.finish(host.command({QCoreApplication::applicationFilePath().toUtf8(), "--burn"}));
    QVERIFY(burned.succeeded());
    QCOMPARE_GE(burned.peakBytes, 50 * 1024 * 1024);
    QCOMPARE_GE(burned.cpu, 50ms);
    QCOMPARE_GE(burned.elapsed, burned.cpu - 10ms); // one thread
}

// A job that costs something: 50 MB of memory, 60 ms of CPU.
static int burn()
{
    const QByteArray touched(50 * 1024 * 1024, 'x');
    quint64 sum = 0;
    timespec spent{};
    while (spent.tv_sec == 0 && spent.tv_nsec < 60'000'000) {
        sum += quint64(touched[qsizetype(sum % 1000)]);
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    }
    return sum == 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && qstrcmp(argv[1], "--burn") == 0)
        return burn();
    QCoreApplication application(argc, argv);
    RunnerTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "runner_test.moc"
