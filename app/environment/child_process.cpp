#include "app/environment/child_process.h"

#include "app/cli/exit_codes.h"
#include "posix/pipe.h"
#include "posix/process.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

namespace drover::app {

namespace {

struct Entry {
    pid_t parent;
    int deathSignal;
    int failed; // gets the error if nothing could be executed
    char *const *argv;
    char *const *environment;
};

// In the child. Its memory may be the parent's until the exec (vfork), and so are the address sanitizer's notes.
__attribute__((no_sanitize("address"))) void becomeCommand(const Entry &entry)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, entry.deathSignal);
    if (::getppid() != entry.parent)
        ::_exit(ExitError); // it died before we asked
    ::execvpe(entry.argv[0], entry.argv, entry.environment);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(entry.failed, &error, sizeof error);
    ::_exit(ExitCommandNotFound);
}

} // namespace

QByteArrayList environmentWith(const QByteArrayList &variables)
{
    QByteArrayList environment = variables;
    for (char **entry = environ; *entry; ++entry) {
        const QByteArray own(*entry);
        const QByteArray name = own.first(own.indexOf('=') + 1);
        const auto isReplaced = [&name](const QByteArray &variable) { return variable.startsWith(name); };
        if (std::none_of(variables.begin(), variables.end(), isReplaced))
            environment.append(own);
    }
    return environment;
}

ChildProcess::ChildProcess()
{
    QObject::connect(&m_process, &QProcess::finished, &m_process, [this] { m_ended.set(); });
}

ChildProcess::~ChildProcess()
{
    m_process.disconnect();
    if (running()) {
        signalGroup(SIGKILL);
        m_process.waitForFinished();
    }
}

void ChildProcess::setVariable(const char *name, const QByteArray &value)
{
    const QByteArray beginning = name + QByteArrayLiteral("=");
    m_variables.removeIf([&](const QByteArray &variable) { return variable.startsWith(beginning); });
    m_variables.append(beginning + value);
}

QString ChildProcess::start(const QString &program, const QStringList &arguments)
{
    QByteArrayList command{program.toLocal8Bit()};
    for (const QString &argument : arguments)
        command.append(argument.toLocal8Bit());
    return start(command);
}

QString ChildProcess::start(const QByteArrayList &command)
{
    m_ended.reset();
    m_process.setStandardInputFile(QProcess::nullDevice());
    m_process.setProcessChannelMode(QProcess::MergedChannels);
    m_process.setStandardOutputFile(m_logFile, QIODevice::Append);
    // QProcess knows texts only: the child executes the bytes, and says through a pipe that closes when it could not.
    posix::Pipe failed = posix::Pipe::make();
    if (!failed)
        return QString::fromLocal8Bit(std::strerror(errno));
    const QByteArrayList variables = environmentWith(m_variables);
    const std::vector<char *> argv = posix::execList(command);
    const std::vector<char *> environment = posix::execList(variables);
    const Entry entry{::getpid(), m_deathSignal, failed.writer.get(), argv.data(), environment.data()};
    m_process.setChildProcessModifier([&entry] { becomeCommand(entry); });
    m_process.start(QString::fromLocal8Bit(command.front()), {});
    const bool forked = m_process.waitForStarted();
    m_process.setChildProcessModifier({}); // it refers to what ends here
    failed.writer.reset();
    int error = 0;
    const bool executed = ::read(failed.reader.get(), &error, sizeof error) == 0;
    if (forked && executed) {
        m_pid = m_process.processId();
        return {};
    }
    m_process.waitForFinished();
    return forked ? QString::fromLocal8Bit(std::strerror(error)) : m_process.errorString();
}

int ChildProcess::exitCode() const
{
    const int code = m_process.exitCode();
    return m_process.exitStatus() == QProcess::CrashExit ? ExitSignalBase + code : code;
}

void ChildProcess::signalGroup(int signal)
{
    if (m_pid > 0)
        ::kill(static_cast<pid_t>(-m_pid), signal);
}

} // namespace drover::app
