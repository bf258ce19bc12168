#include "app/launch/ssh.h"

#include "async/owned_process.h"
#include "text/printable.h"

namespace drover::app {

namespace {

// The program first.
QStringList commandFor(const QString &config, const QString &address, qsizetype scriptSize)
{
    // The script comes first on standard input, and its own input behind it.
    const QString script = QStringLiteral("eval \"$(head -c %1)\"").arg(scriptSize);
    if (address.isEmpty())
        return {QStringLiteral("sh"), QStringLiteral("-c"), script};
    QStringList command{QStringLiteral("ssh")};
    if (!config.isEmpty())
        command += {QStringLiteral("-F"), config};
    for (const char *const option : {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5",
                                     "ServerAliveCountMax=3", "ForwardX11=no", "ForwardAgent=no", "RequestTTY=no"})
        command += {QStringLiteral("-o"), QLatin1String(option)};
    // Every login shell understands this line.
    command += {QStringLiteral("--"), address, QStringLiteral("exec sh -c '%1'").arg(script)};
    return command;
}

QString lastLineOf(const QByteArray &text)
{
    return text::printable(text.trimmed().split('\n').last().trimmed());
}

} // namespace

async::Task<QByteArrayList> Ssh::run(QString address, QByteArray script, QByteArray input) const
{
    async::OwnedProcess ssh;
    const QStringList command = commandFor(m_config, address, script.size());
    ssh.start(command.first(), command.mid(1));
    ssh.write(script);
    ssh.write(input);
    ssh.closeWriteChannel(); // once all is written
    co_await ssh.ended();
    if (ssh.error() == QProcess::FailedToStart)
        throw HostFailed(QStringLiteral("cannot run %1: %2%3")
                             .arg(command.first(), ssh.errorString(),
                                  address.isEmpty() ? QString() : QStringLiteral("; install openssh-client")));
    const QByteArrayList words = lastLineOf(ssh.readAllStandardOutput()).toUtf8().split(' ');
    const QString complaint = lastLineOf(ssh.readAllStandardError());
    if (words.first() == "failed")
        throw HostFailed(QString::fromUtf8(words.mid(1).join(' ')));
    if (ssh.exitStatus() != QProcess::NormalExit || ssh.exitCode() != 0 || words.first().isEmpty())
        throw HostFailed(complaint.isEmpty()
                             ? QStringLiteral("%1 ended with exit code %2").arg(command.first()).arg(ssh.exitCode())
                             : complaint);
    co_return words;
}

} // namespace drover::app
