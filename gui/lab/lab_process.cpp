#include "gui/lab/lab_process.h"

#include <csignal>

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

QString LabProcess::start(const QString &program, const QStringList &arguments)
{
    m_process.start(program, arguments);
    return m_process.waitForStarted() ? QString() : m_process.errorString();
}

void LabProcess::signal(int number) const
{
    if (pid() > 0) // ours until QProcess has reaped it
        ::kill(static_cast<pid_t>(pid()), number);
}

void LabProcess::read()
{
    while (m_process.canReadLine())
        m_onLine(m_process.readLine().trimmed());
}

} // namespace drover::gui
