#include "runner_fixture.h"

#include <QProcess>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

Q_DECLARE_METATYPE(drover::workers::ProcessView)

using namespace drover::workers;
using namespace drover::workers::testing;
using drover::async::BootClock;

namespace {

constexpr int patienceMs = int(std::chrono::milliseconds(patience).count());

bool die(const QList<pid_t> &pids)
{
    return QTest::qWaitFor([&] { return noneAlive(pids); }, patienceMs);
}

// A process of the job's group; one that has left it; the child of one that has; and one of the two that left in turn.
constexpr int FamilySize = 4;
const QByteArray family = QByteArrayLiteral("sleep 1000 & echo $!; "
                                            "setsid sh -c 'echo $$; exec sleep 1000' & "
                                            "setsid sh -c 'sleep 1000 & echo $!; setsid sh -c \"echo \\$\\$; exec "
                                            "sleep 1000\" & exec >&-; wait' & ");

// A job that ends when the test opens its gate.
class GatedJob
{
public:
    GatedJob(Host &host, const QString &name, const QByteArray &script)
        : m_gate(QFile::encodeName(host.folder.filePath(name))), m_output(host.spooled(name)),
          run(start(host, script + "read line < " + name.toUtf8()))
    {
    }

    QList<pid_t> pids(Host &host, int count) const { return someIn(m_output, count, host.runner.runnerPid()); }
    // The job's process ends by itself.
    void open() const
    {
        const int gate = ::open(m_gate.constData(), O_RDWR | O_CLOEXEC);
        [[maybe_unused]] const ssize_t size = ::write(gate, "\n", 1);
        (void)QTest::qWaitFor([this] { return run.outcome.ready(); }, patienceMs);
        ::close(gate);
    }

private:
    RunHandle start(Host &host, const QByteArray &script) const
    {
        ::mkfifo(m_gate.constData(), 0600);
        Command command = host.shell(script);
        command.output = bytes(m_output);
        return host.runner.run(command);
    }

    QByteArray m_gate;
    QString m_output;

public:
    RunHandle run;
};

// This program again, as a worker that runs the family, until it is killed.
class OtherWorker
{
public:
    explicit OtherWorker(const QString &state, ProcessView view)
    {
        const auto path = [this](const char *name) { return m_folder.filePath(QLatin1String(name)); };
        m_process.start(QCoreApplication::applicationFilePath(),
                        {QStringLiteral("--host"), m_folder.path(), state,
                         view == ProcessView::Own ? QStringLiteral("own") : QStringLiteral("machine")});
        runner = someIn(path("runner"), 1).value(0);
        jobs = someIn(path("out"), FamilySize, runner);
    }
    ~OtherWorker()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    bool works() const { return jobs.size() == FamilySize && std::all_of(jobs.begin(), jobs.end(), isAlive); }

    // Both in one instant: neither can do anything about the other's death.
    void killWithItsRunner()
    {
        const auto worker = pid_t(m_process.processId());
        ::kill(worker, SIGSTOP);
        ::kill(runner, SIGKILL);
        ::kill(worker, SIGKILL);
        m_process.waitForFinished();
    }

    QList<pid_t> jobs;
    pid_t runner = 0;

private:
    QTemporaryDir m_folder;
    QProcess m_process;
};

} // namespace

// Whatever a job has started ends with it, or with those that watch over it; with and without a pid namespace.
class RunnerTreeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data();
    void endsWithItsJob();
    void endsWithItsJobAlone();
    void endsWithItsJobInTheGroupOfAnother();
    void endsWithAKilledJob();
    void aProcessWithoutItsMarkEndsWithTheLastJob();
    void theReportComesLast();
    void nothingOutlivesTheRunner();
    void nothingOutlivesWorkerAndRunner();
    void theLivingAreLeftAlone();
    void jobsSeeTheirOwnAlone();
    void jobsCannotEndTheRunner();
};

void RunnerTreeTest::initTestCase_data()
{
    QTest::addColumn<ProcessView>("view");
    QTest::newRow("all processes") << ProcessView::Machine;
    QTest::newRow("own processes") << ProcessView::Own;
}

void RunnerTreeTest::endsWithItsJob()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    const GatedJob job(host, QStringLiteral("gate"), family);
    const QList<pid_t> pids = job.pids(host, FamilySize);
    QCOMPARE(pids.size(), FamilySize);
    QVERIFY(std::all_of(pids.begin(), pids.end(), isAlive));
    job.open();
    QVERIFY(wait(job.run.outcome).succeeded());
    QVERIFY(noneAlive(pids)); // at once: the job was not over before
    QCOMPARE(childrenOf(host.runner.runnerPid()), QList<pid_t>());
}

void RunnerTreeTest::endsWithItsJobAlone()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    const GatedJob other(host, QStringLiteral("other"), family);
    const GatedJob job(host, QStringLiteral("gate"), family);
    const QList<pid_t> others = other.pids(host, FamilySize);
    const QList<pid_t> pids = job.pids(host, FamilySize);
    job.open();
    QVERIFY(wait(job.run.outcome).succeeded());
    QVERIFY(pids.size() == FamilySize && noneAlive(pids));
    QVERIFY(others.size() == FamilySize && std::all_of(others.begin(), others.end(), isAlive));
    other.open();
    QVERIFY(noneAlive(others));
}

// All jobs are of one session, so that a process may enter the group of any.
void RunnerTreeTest::endsWithItsJobInTheGroupOfAnother()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    const GatedJob other(host, QStringLiteral("other"), "echo $$; sleep 1000 & echo $!; ");
    const QList<pid_t> others = other.pids(host, 2);
    QCOMPARE(others.size(), 2);
    const std::optional<Started> leader = wait(other.run.started);
    QVERIFY(leader);
    const GatedJob job(host, QStringLiteral("gate"),
                       "perl -e '$| = 1; exit if fork; setpgrp(0, " + QByteArray::number(leader->pid)
                           + ") or die; print \"$$\\n\"; exec \"sleep\", 1000'; ");
    const QList<pid_t> pids = job.pids(host, 1);
    QCOMPARE(pids.size(), 1);
    job.open();
    QVERIFY(wait(job.run.outcome).succeeded());
    QVERIFY(noneAlive(pids));
    QVERIFY(std::all_of(others.begin(), others.end(), isAlive));
    other.open();
    QVERIFY(noneAlive(others));
}

void RunnerTreeTest::endsWithAKilledJob()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    const GatedJob job(host, QStringLiteral("gate"), family);
    const QList<pid_t> pids = job.pids(host, FamilySize);
    host.runner.kill(job.run.runId, 10s);
    QCOMPARE(wait(job.run.outcome).how, How::Killed);
    QVERIFY(pids.size() == FamilySize && noneAlive(pids));
}

void RunnerTreeTest::aProcessWithoutItsMarkEndsWithTheLastJob()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    const GatedJob other(host, QStringLiteral("other"), "");
    const GatedJob job(host, QStringLiteral("gate"), "(env -i setsid sh -c 'echo $$; exec sleep 1000' &); ");
    const QList<pid_t> pids = job.pids(host, 1);
    QVERIFY(pids.size() == 1 && isAlive(pids[0]));
    job.open();
    QVERIFY(wait(job.run.outcome).succeeded());
    QVERIFY(isAlive(pids[0])); // it may be the other's
    other.open();
    QVERIFY(wait(other.run.outcome).succeeded());
    QVERIFY(noneAlive(pids));
}

void RunnerTreeTest::theReportComesLast()
{
    QFETCH_GLOBAL(ProcessView, view);
    constexpr int many = 200;
    Host host(view);
    const GatedJob job(host, QStringLiteral("gate"),
                       "i=0; while [ $i -lt " + QByteArray::number(many)
                           + " ]; do setsid sh -c 'echo $$; sleep 1000; exit' & i=$((i+1)); done; ");
    QCOMPARE(job.pids(host, many).size(), many);
    job.open();
    QVERIFY(wait(job.run.outcome).succeeded());
    QCOMPARE(childrenOf(host.runner.runnerPid()), QList<pid_t>());
}

// The job may be run again as soon as its worker knows.
void RunnerTreeTest::nothingOutlivesTheRunner()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    const GatedJob job(host, QStringLiteral("gate"), family);
    const QList<pid_t> pids = job.pids(host, FamilySize);
    QVERIFY(pids.size() == FamilySize && std::all_of(pids.begin(), pids.end(), isAlive));
    ::kill(host.runner.runnerPid(), SIGKILL);
    QVERIFY_THROWS_EXCEPTION(RunnerDied, wait(job.run.outcome));
    QVERIFY(noneAlive(pids));
}

void RunnerTreeTest::nothingOutlivesWorkerAndRunner()
{
    QFETCH_GLOBAL(ProcessView, view);
    const QTemporaryDir state;
    OtherWorker worker(state.path(), view);
    QVERIFY(worker.works());
    const bool own = hasOwnPids(worker.runner);
    worker.killWithItsRunner();
    QVERIFY(QTest::qWaitFor([&] { return noneLocked(state.path()); }, patienceMs));
    if (own) {
        QVERIFY(die(worker.jobs));
    } else { // the job itself dies, what it had started does not
        QVERIFY(std::all_of(worker.jobs.begin(), worker.jobs.end(), isAlive));
    }
    const RunnerClient next(RunnerClient::Options{.stateFolder = state.path()});
    QVERIFY(noneAlive(worker.jobs));
    QCOMPARE_GE(next.leftoversKilled(), own ? 0 : FamilySize);
    QCOMPARE(QDir(state.path()).entryList(QDir::Files).size(), 1); // its own
}

void RunnerTreeTest::theLivingAreLeftAlone()
{
    QFETCH_GLOBAL(ProcessView, view);
    const QTemporaryDir state;
    OtherWorker worker(state.path(), view);
    QVERIFY(worker.works());
    const RunnerClient next(RunnerClient::Options{.stateFolder = state.path()});
    QCOMPARE(next.leftoversKilled(), 0);
    QVERIFY(worker.works());
}

void RunnerTreeTest::jobsSeeTheirOwnAlone()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    const auto mounts = [](const QByteArray &table) {
        QByteArrayList points;
        for (const QByteArray &line : table.split('\n')) {
            const QByteArrayList fields = line.split(' ');
            if (fields.size() > 4 && fields[4] != "/proc")
                points << fields[4];
        }
        std::sort(points.begin(), points.end());
        return points;
    };
    QVERIFY(host.finish(host.shell("cat /proc/self/mountinfo; kill -0 " + QByteArray::number(::getpid()) + " >&2")).how
            == How::Exited);
    const bool seesUs = contents(host.spooled(QStringLiteral("err"))) == "(no such file)";
    QCOMPARE(seesUs, !hasOwnPids(host.runner.runnerPid()));
    QCOMPARE(mounts(contents(host.spooled(QStringLiteral("out")))),
             mounts(contents(QStringLiteral("/proc/self/mountinfo"))));
    QVERIFY(host.finish(host.shell("test -e /proc/$$/stat && test $(readlink /proc/self/ns/pid)")).succeeded());
}

void RunnerTreeTest::jobsCannotEndTheRunner()
{
    QFETCH_GLOBAL(ProcessView, view);
    Host host(view);
    QVERIFY(host.finish(host.command({"true"})).succeeded());
    const pid_t runner = host.runner.runnerPid();
    if (!hasOwnPids(runner))
        QSKIP("a job of the same user can kill it");
    // The job sends signals only if its parent is process 1 of its own namespace, and not that of the machine.
    QVERIFY(host.finish(host.shell("test $PPID = 1 || exit 1; kill -9 $PPID; kill -TERM $PPID; kill -STOP $PPID; true"))
                .succeeded());
    QCOMPARE(host.runner.runnerPid(), runner);
    QVERIFY(isAlive(runner));
}

static int host(const QString &folder, const QString &state, const QString &view)
{
    RunnerClient runner(
        RunnerClient::Options{.stateFolder = state, .view = view == u"own" ? ProcessView::Own : ProcessView::Machine});
    runner.setLease(BootClock::now() + 1h);
    const RunHandle job = runner.run({.arguments = {"sh", "-c", (family + "wait").toStdString()},
                                      .environment = {"PATH=/usr/bin:/bin"},
                                      .directory = bytes(folder),
                                      .output = bytes(folder + u"/out"_qs)});
    return tellRunnerAndStay(folder, runner);
}

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 5 && qstrcmp(argv[1], "--host") == 0)
        return host(QFile::decodeName(argv[2]), QFile::decodeName(argv[3]), QString::fromLatin1(argv[4]));
    RunnerTreeTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "runner_tree_test.moc"
