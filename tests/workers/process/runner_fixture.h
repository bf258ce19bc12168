#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "workers/process/runner_client.h"

#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <memory>
#include <optional>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace drover::workers::testing {

using namespace std::chrono_literals;

constexpr std::chrono::seconds patience{60};

inline QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no such file)");
}

inline QByteArray contents(const std::string &path)
{
    return contents(QFile::decodeName(path.c_str()));
}

inline std::string bytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

inline QString reasonOf(const Outcome &outcome)
{
    return QString::fromStdString(outcome.reason);
}

// Whether the process runs: a zombie does not.
inline bool isAlive(pid_t pid)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    if (pid <= 0 || !file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray stat = file.readAll();
    const qsizetype state = stat.lastIndexOf(')') + 2;
    return state < stat.size() && stat[state] != 'Z' && stat[state] != 'X';
}

// The processes, zombies too, whose parent `pid` is. The kernel lists them by the thread that made them.
inline QList<pid_t> childrenOf(pid_t pid)
{
    QList<pid_t> list;
    const QDir threads(QStringLiteral("/proc/%1/task").arg(pid));
    for (const QString &thread : threads.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        for (const QByteArray &child :
             contents(threads.filePath(thread) + QLatin1String("/children")).simplified().split(' '))
            list << pid_t(child.toInt());
    }
    list.removeAll(0);
    return list;
}

// The pid namespace of a process, "pid:[4026531836]"; empty: there is no such process. Qt makes a path of the link.
inline QString pidSpace(const QString &process)
{
    return QFile::symLinkTarget(QStringLiteral("/proc/%1/ns/pid").arg(process)).section(u'/', -1);
}

// Whether the process lives in a pid namespace that is not ours.
inline bool hasOwnPids(pid_t pid)
{
    const QString space = pidSpace(QString::number(pid));
    return !space.isEmpty() && space != pidSpace(QStringLiteral("self"));
}

// How we number the process that `runner` and its jobs call `inside`; 0: there is none.
inline pid_t outside(pid_t inside, pid_t runner)
{
    if (inside == 0 || !hasOwnPids(runner))
        return inside;
    const QString space = pidSpace(QString::number(runner));
    for (const QString &process : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        if (process.toInt() == 0 || pidSpace(process) != space)
            continue;
        const QByteArray status = contents(QStringLiteral("/proc/%1/status").arg(process));
        const qsizetype line = status.indexOf("\nNSpid:") + 1;
        const QByteArray numbers = status.mid(line, status.indexOf('\n', line) - line).simplified();
        if (numbers.mid(numbers.lastIndexOf(' ') + 1).toInt() == inside)
            return pid_t(process.toInt());
    }
    return 0;
}

// The pids in the file that the jobs of `runner` wrote. With 0, the pids as the jobs of this process wrote them.
inline QList<pid_t> pidsIn(const QString &path, pid_t runner = 0)
{
    QList<pid_t> list;
    for (const QByteArray &pid : contents(path).simplified().split(' '))
        list << (runner == 0 ? pid_t(pid.toInt()) : outside(pid_t(pid.toInt()), runner));
    list.removeAll(0);
    return list;
}

// Waits until there are `count` of them.
inline QList<pid_t> someIn(const QString &path, qsizetype count, pid_t runner = 0)
{
    (void)QTest::qWaitFor([&] { return pidsIn(path).size() >= count; }, int(patience.count()) * 1000);
    return pidsIn(path, runner);
}

inline bool noneAlive(const QList<pid_t> &pids)
{
    return std::none_of(pids.begin(), pids.end(), isAlive);
}

// Whether all who held the files of a state folder have gone: a process that looks dead may still have a thread that
// has not closed its files.
inline bool noneLocked(const QString &folder)
{
    const QFileInfoList files = QDir(folder).entryInfoList(QDir::Files);
    return std::all_of(files.begin(), files.end(), [](const QFileInfo &file) {
        const int fd = ::open(QFile::encodeName(file.filePath()).constData(), O_RDWR | O_CLOEXEC);
        const bool unlocked = fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0;
        ::close(fd);
        return unlocked;
    });
}

template <typename T>
struct Kept {
    std::optional<T> value;
    std::exception_ptr error;
    QEventLoop loop;
    bool settled() const { return value || error; }
};

template <typename T>
async::Task<void> keep(async::Future<T> future, std::shared_ptr<Kept<T>> kept)
{
    try {
        T value = co_await future;
        kept->value.emplace(std::move(value));
    } catch (...) {
        kept->error = std::current_exception();
    }
    kept->loop.quit();
}

// Runs the event loop until the future has its value, and returns or throws it.
template <typename T>
T wait(async::Future<T> future)
{
    const auto kept = std::make_shared<Kept<T>>();
    async::TaskGroup tasks;
    tasks.spawn(keep(std::move(future), kept));
    QTimer::singleShot(patience, &kept->loop, &QEventLoop::quit);
    if (!kept->settled())
        kept->loop.exec();
    if (kept->error)
        std::rethrow_exception(kept->error);
    if (!kept->value)
        throw std::runtime_error("nothing came in time");
    return std::move(*kept->value);
}

// Ends a test that has none: it would wait for its jobs.
inline QString requiredRunner()
{
    const QString program = RunnerClient::findProgram();
    if (!QFileInfo(program).isExecutable())
        qFatal("there is no drover-runner at '%s': set DROVER_BIN_DIR to its folder", qPrintable(program));
    return program;
}

// One worker's runner with a lease that does not end, and a spool.
class Host
{
public:
    explicit Host(ProcessView view = ProcessView::Own)
        : runner(RunnerClient::Options{.program = requiredRunner(), .stateFolder = state.path(), .view = view})
    {
        runner.setLease(async::TimePoint::max());
    }

    QString spooled(const QString &name) const { return folder.filePath(QStringLiteral("spool/") + name); }

    Command command(const QList<QByteArray> &arguments) const
    {
        Command made{.environment = {"PATH=/usr/bin:/bin"},
                     .directory = bytes(folder.path()),
                     .output = bytes(spooled(QStringLiteral("out"))),
                     .error = bytes(spooled(QStringLiteral("err")))};
        for (const QByteArray &argument : arguments)
            made.arguments.push_back(argument.toStdString());
        return made;
    }
    Command shell(const QByteArray &script) const { return command({"sh", "-c", script}); }

    Outcome finish(Command command) { return wait(runner.run(std::move(command)).outcome); }

    QTemporaryDir folder;
    QTemporaryDir state;
    RunnerClient runner;
};

// Where our runners make control groups for memory on this machine, or nothing: the hierarchy of memory alone (v1).
inline QString memoryGroup()
{
    for (const QByteArray &line : contents(QStringLiteral("/proc/self/cgroup")).split('\n')) {
        const QByteArrayList fields = line.split(':');
        const QString path = QStringLiteral("/sys/fs/cgroup/memory") + QString::fromUtf8(fields.value(2));
        if (fields.value(1) == "memory" && QFileInfo(path).isWritable())
            return path;
    }
    return {};
}

// The control groups of the host's jobs. They have the name of its run file.
inline QStringList groupsOf(const Host &host)
{
    const QString run = QDir(host.state.path()).entryList(QDir::Files).value(0);
    QStringList groups;
    for (const QFileInfo &group : QDir(memoryGroup()).entryInfoList({u"drover-%1.*"_qs.arg(run)}, QDir::Dirs))
        groups.append(group.filePath());
    return groups;
}

// For a program of a test that is a worker until it is killed: tells in the file "runner" which runner is its.
inline int tellRunnerAndStay(const QString &folder, const RunnerClient &runner)
{
    QFile pid(folder + u"/runner"_qs);
    if (!pid.open(QIODevice::WriteOnly))
        return 1;
    pid.write(QByteArray::number(runner.runnerPid()));
    pid.close();
    return QCoreApplication::exec();
}

} // namespace drover::workers::testing
