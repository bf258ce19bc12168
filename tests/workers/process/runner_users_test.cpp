#include "runner_fixture.h"
#include "workers/process/worker_state_file.h"

#include <QProcess>

#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

Q_DECLARE_METATYPE(drover::workers::ProcessView)

using namespace drover::workers;
using namespace drover::workers::testing;

namespace {

// This thread may not kill what is another user's.
class WithoutKill
{
public:
    WithoutKill()
    {
        ::syscall(SYS_capget, &m_header, m_before);
        __user_cap_data_struct less[_LINUX_CAPABILITY_U32S_3] = {m_before[0], m_before[1]};
        less[CAP_TO_INDEX(CAP_KILL)].effective &= ~CAP_TO_MASK(CAP_KILL);
        ::syscall(SYS_capset, &m_header, less);
    }
    ~WithoutKill() { ::syscall(SYS_capset, &m_header, m_before); }

private:
    __user_cap_header_struct m_header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct m_before[_LINUX_CAPABILITY_U32S_3]{};
};

} // namespace

// Processes of another user that a job leaves. The runner kills them if it may, and does not wait for them if not.
class RunnerUsersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void leftoversOfAnotherUser_data();
    void leftoversOfAnotherUser();
    void theResultsOfDeadWorkers();
};

void RunnerUsersTest::initTestCase()
{
    if (::geteuid() != 0)
        QSKIP("only root can leave a process of another user");
}

// What is dropped is so for all rows that follow.
void RunnerUsersTest::leftoversOfAnotherUser_data()
{
    QTest::addColumn<ProcessView>("view");
    QTest::addColumn<quint64>("memory"); // with a control group, where there can be one
    QTest::addColumn<bool>("mayKill");
    for (const bool mayKill : {true, false}) {
        for (const quint64 memory : {0, 100 << 20}) {
            for (const ProcessView view : {ProcessView::Machine, ProcessView::Own})
                QTest::addRow("%s, %s, %s", view == ProcessView::Own ? "own processes" : "all processes",
                              memory > 0 ? "memory" : "no limit", mayKill ? "root" : "no CAP_KILL")
                    << view << memory << mayKill;
        }
    }
}

void RunnerUsersTest::leftoversOfAnotherUser()
{
    QFETCH(ProcessView, view);
    QFETCH(quint64, memory);
    QFETCH(bool, mayKill);
    if (!mayKill) // by what is executed from now on; we keep it, to clean up
        QCOMPARE(::prctl(PR_CAPBSET_DROP, CAP_KILL, 0, 0, 0), 0);
    Host host(view);
    Command command =
        host.shell("leave() { $1 setpriv --reuid 65534 --clear-groups sh -c 'echo $$; exec sleep 1000' & }; "
                   "leave; leave setsid; read line < gate");
    command.memory = memory;
    QCOMPARE(::mkfifo(QFile::encodeName(host.folder.filePath(QStringLiteral("gate"))).constData(), 0600), 0);
    const RunHandle job = host.runner.run(command);
    const QList<pid_t> left = someIn(host.spooled(QStringLiteral("out")), 2, host.runner.runnerPid());
    QCOMPARE(left.size(), 2);
    {
        QFile gate(host.folder.filePath(QStringLiteral("gate")));
        QVERIFY(gate.open(QIODevice::WriteOnly));
    }
    QCOMPARE(wait(job.outcome).how, How::Exited);
    if (mayKill) {
        QVERIFY(noneAlive(left));
        return;
    }
    QVERIFY(std::all_of(left.begin(), left.end(), isAlive));
    QVERIFY(host.finish(host.shell("true")).succeeded()); // nor does the next one wait for them
    for (const pid_t pid : left)
        ::kill(pid, SIGKILL);
    for (const QString &group : groupsOf(host)) // the runner could not, as long as they lived
        QTRY_VERIFY_WITH_TIMEOUT(QDir().rmdir(group) || !QFileInfo::exists(group), 30'000);
}

void RunnerUsersTest::theResultsOfDeadWorkers()
{
    const QTemporaryDir state;
    QProcess left;
    {
        WorkerStateFile dead(state.path());
        dead.keep();
        left.start(QStringLiteral("setpriv"),
                   {QStringLiteral("--reuid"), QStringLiteral("65534"), QStringLiteral("--clear-groups"),
                    QStringLiteral("env"), QString::fromUtf8(dead.tag(1)), QStringLiteral("sh"), QStringLiteral("-c"),
                    QStringLiteral("echo; exec sleep 1000")});
        QVERIFY(left.waitForReadyRead());
    }
    {
        const WithoutKill thread;
        const WorkerStateFile::Leftovers leftovers = WorkerStateFile::takeOver(state.path());
        QCOMPARE(leftovers.killed, 0);
    }
    QCOMPARE(QDir(state.path()).entryList(QDir::Files), QStringList()); // it is done with
    QCOMPARE(left.state(), QProcess::Running);
    left.kill();
    QVERIFY(left.waitForFinished());
}

QTEST_GUILESS_MAIN(RunnerUsersTest)
#include "runner_users_test.moc"
