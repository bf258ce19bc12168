#include "gui/lab/lab_process.h"

#include "posix/process.h"

#include <csignal>

#include <unistd.h>

namespace drover::gui {

LabProcess::LabProcess(OnLine onLine, OnEnd onEnd) : m_onLine(std::move(onLine))
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    QObject::connect(&m_process, &QProcess::readyReadStandardOutput, [this] { read(); });
    QObject::connect(&m_process, &QProcess::finished, [this, onEnd = std::move(onEnd)] {
        read();
        onEnd();
    });
}

LabProcess::~LabProcess()
{
    m_process.disconnect();
    if (!runs())
        return;
    signal(SIGKILL);
    m_process.waitForFinished();
}

QString LabProcess::start(const QString &program, const QStringList &arguments)
{
    m_process.setChildProcessModifier([parent = ::getpid()] {
        ::setpgid(0, 0); // a Ctrl-C in the console's terminal is not for it
        posix::dieWith(parent);
    });
    m_process.start(program, arguments);
    return m_process.waitForStarted() ? QString() : m_process.errorString();
}

void LabProcess::signal(int number) const
{
    if (pid() > 0) // ours until QProcess has reaped it
        ::kill(static_cast<pid_t>(pid()), number);
}

void LabProcess::tell(const QByteArray &command)
{
    m_process.write(command + '\n');
}

void LabProcess::read()
{
    while (m_process.canReadLine())
        m_onLine(m_process.readLine().trimmed());
}

} // namespace drover::gui
