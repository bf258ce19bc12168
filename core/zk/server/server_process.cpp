#include "zk/server/server_process.h"

#include "posix/process.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>

#include <fcntl.h>
#include <unistd.h>

namespace drover::zk {

namespace {

// Runs between fork and exec: async-signal-safe calls only.
void tieToStarter(pid_t starter)
{
    setsid();
    posix::dieWith(starter);
}

// Only what Java and its scripts look for: other processes of this user can read the environment of the server, and
// ours may hold passwords.
QProcessEnvironment serverEnvironment()
{
    static const QRegularExpression ours(QStringLiteral(
        "^(PATH|HOME|USER|LOGNAME|LANG|LC_.*|TZ|TMPDIR|LD_.*|.*JAVA.*|.*JVM.*|JDK_.*|JRE_.*|FAKETIME.*)$"));
    const QProcessEnvironment all = QProcessEnvironment::systemEnvironment();
    QProcessEnvironment some;
    for (const QString &name : all.keys()) {
        if (ours.match(name).hasMatch())
            some.insert(name, all.value(name));
    }
    return some;
}

} // namespace

ServerProcess::ServerProcess() = default;

ServerProcess::~ServerProcess()
{
    release();
}

void ServerProcess::release()
{
    if (m_child) {
        m_child->kill();
        m_child->waitForFinished(-1);
        m_child.reset();
    }
    m_process.reset();
}

QString ServerProcess::start(const QString &program, const QStringList &arguments, const QString &logFile,
                             Lifetime lifetime)
{
    release();
    auto child = std::make_unique<QProcess>();
    child->setProgram(program);
    child->setArguments(arguments);
    child->setProcessEnvironment(serverEnvironment());
    child->setStandardInputFile(QProcess::nullDevice());
    child->setStandardOutputFile(logFile, QIODevice::Append);
    child->setStandardErrorFile(logFile, QIODevice::Append);
    if (lifetime == Lifetime::Detached) { // QProcess puts it into a session of its own
        if (!child->startDetached(&m_pid))
            return child->errorString();
    } else {
        child->setChildProcessModifier([starter = getpid()] { tieToStarter(starter); });
        child->start();
        if (!child->waitForStarted(-1)) // forks and waits for exec: milliseconds
            return child->errorString();
        m_pid = child->processId();
        m_child = std::move(child);
    }
    m_process = posix::HeldProcess(static_cast<pid_t>(m_pid));
    return {};
}

bool ServerProcess::adopt(qint64 pid, const QString &argument)
{
    release();
    m_pid = pid;
    m_process = posix::HeldProcess(static_cast<pid_t>(pid));
    QFile commandLine(QStringLiteral("/proc/%1/cmdline").arg(pid));
    if (m_process && commandLine.open(QIODevice::ReadOnly)
        && commandLine.readAll().split('\0').contains(argument.toLocal8Bit()))
        return true;
    release();
    return false;
}

bool ServerProcess::running() const
{
    return !m_process.hasEnded();
}

bool ServerProcess::stopped() const
{
    const QDir threads(QStringLiteral("/proc/%1/task").arg(m_pid));
    for (const QString &thread : threads.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile file(threads.filePath(thread) + QStringLiteral("/stat"));
        if (!file.open(QIODevice::ReadOnly))
            return false;
        const QByteArray stat = file.readAll(); // 123 (name, with any characters) T ...
        if (stat.mid(stat.lastIndexOf(')') + 2, 1) != "T")
            return false;
    }
    return true;
}

void ServerProcess::signal(int number)
{
    m_process.signal(number);
}

} // namespace drover::zk
