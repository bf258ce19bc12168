#include "app/launch/finished_program.h"

#include "app/cli/failure.h"

#include <QProcess>

namespace drover::app {

QByteArray outputOf(const QString &program, const QStringList &arguments, int limitMs, const QString &doing)
{
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(limitMs) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        throw CommandError(
            ExitError,
            QStringLiteral("cannot %1: %2 %3")
                .arg(doing, process.errorString(), QString::fromLocal8Bit(process.readAllStandardError()).trimmed()));
    return process.readAllStandardOutput();
}

} // namespace drover::app
