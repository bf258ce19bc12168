#include "app/launch/programs_archive.h"

#include "app/cli/failure.h"
#include "app/environment/programs.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <sys/utsname.h>

namespace drover::app {

namespace {

constexpr int LettersOfHash = 12;
constexpr int TarLimitMs = 120'000;

QByteArray packed(const QStringList &programs)
{
    QStringList arguments{QStringLiteral("--use-compress-program=gzip -1"), QStringLiteral("-chf"),
                          QStringLiteral("-")};
    for (const QString &program : programs)
        arguments += {QStringLiteral("-C"), QFileInfo(program).absolutePath(), QFileInfo(program).fileName()};
    QProcess tar;
    tar.start(QStringLiteral("tar"), arguments);
    if (!tar.waitForFinished(TarLimitMs) || tar.exitStatus() != QProcess::NormalExit || tar.exitCode() != 0)
        throw CommandError(ExitError,
                           QStringLiteral("cannot pack the programs: %1 %2")
                               .arg(tar.errorString(), QString::fromLocal8Bit(tar.readAllStandardError()).trimmed()));
    return tar.readAllStandardOutput();
}

} // namespace

ProgramsArchive ProgramsArchive::make(bool isNeeded)
{
    const QStringList programs{QCoreApplication::applicationFilePath(), findProgram("drover-runner")};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QString &program : programs) {
        QFile file(program);
        if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file))
            throw CommandError(ExitError, QStringLiteral("cannot read %1: %2").arg(program, file.errorString()));
    }
    utsname system{};
    ::uname(&system);
    return {.release = QStringLiteral("%1-%2").arg(QCoreApplication::applicationVersion(),
                                                   QString::fromLatin1(hash.result().toHex().left(LettersOfHash))),
            .system = QStringLiteral("%1-%2").arg(QLatin1String(system.sysname), QLatin1String(system.machine)),
            .bytes = isNeeded ? packed(programs) : QByteArray()};
}

} // namespace drover::app
