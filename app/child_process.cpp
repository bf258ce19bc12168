#include "app/child_process.h"

#include "app/exit_codes.h"

#include <sys/prctl.h>
#include <unistd.h>

namespace drover::app {

namespace {

// To be called from a background group as well, which is stopped by SIGTTOU otherwise.
void giveTerminalTo(pid_t group)
{
    const auto previous = ::signal(SIGTTOU, SIG_IGN);
    ::tcsetpgrp(STDIN_FILENO, group);
    ::signal(SIGTTOU, previous);
}

} // namespace

ChildProcess::ChildProcess(Place place) : m_place(place)
{
    QObject::connect(&m_process, &QProcess::finished, &m_process, [this] {
        takeTerminalBack();
        m_ended.set();
    });
}

ChildProcess::~ChildProcess()
{
    m_process.disconnect();
    if (running()) {
        signalGroup(SIGKILL);
        m_process.waitForFinished();
    }
    takeTerminalBack();
}

void ChildProcess::setVariable(const char *name, const QByteArray &value)
{
    m_environment.insert(QLatin1String(name), QString::fromLocal8Bit(value));
}

QString ChildProcess::start(const QString &program, const QStringList &arguments)
{
    m_ended.reset();
    if (m_place == Place::Terminal) {
        m_process.setProcessChannelMode(QProcess::ForwardedChannels);
        m_process.setInputChannelMode(QProcess::ForwardedInputChannel);
    } else {
        m_process.setStandardInputFile(QProcess::nullDevice());
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.setStandardOutputFile(m_logFile, QIODevice::Append);
    }
    m_process.setProcessEnvironment(m_environment);
    m_lentTerminal = m_place == Place::Terminal && ::isatty(STDIN_FILENO) && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
    m_process.setChildProcessModifier([parent = ::getpid(), signal = m_deathSignal, lent = m_lentTerminal] {
        ::setpgid(0, 0);
        if (lent)
            giveTerminalTo(::getpid());
        ::prctl(PR_SET_PDEATHSIG, signal);
        if (::getppid() != parent)
            ::_exit(ExitError); // it died before we asked
    });
    m_process.start(program, arguments);
    if (!m_process.waitForStarted()) {
        takeTerminalBack();
        return m_process.errorString();
    }
    m_pid = m_process.processId();
    return {};
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

async::Task<void> ChildProcess::ended()
{
    co_await m_ended.wait();
}

void ChildProcess::takeTerminalBack()
{
    if (std::exchange(m_lentTerminal, false))
        giveTerminalTo(::getpgrp());
}

} // namespace drover::app
