#include "app/launch/programs_archive.h"

#include "app/cli/failure.h"
#include "app/environment/programs.h"
#include "app/launch/finished_program.h"
#include "app/launch/libraries.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>

#include <sys/utsname.h>

namespace drover::app {

namespace {

constexpr int LettersOfHash = 12;
constexpr int TarLimitMs = 120'000;

// The libraries get into lib and plugins, wherever they are here.
QByteArray packed(const QStringList &programs, const QStringList &libraries)
{
    QStringList arguments{QStringLiteral("--use-compress-program=gzip -1"),
                          QStringLiteral("--transform=s|^/.*/plugins/|plugins/|"),
                          QStringLiteral("--transform=s|^/.*/|lib/|"), QStringLiteral("-Pchf"), QStringLiteral("-")};
    arguments += libraries;
    for (const QString &program : programs)
        arguments += {QStringLiteral("-C"), QFileInfo(program).absolutePath(), QFileInfo(program).fileName()};
    return outputOf(QStringLiteral("tar"), arguments, TarLimitMs, QStringLiteral("pack the programs"));
}

} // namespace

ProgramsArchive ProgramsArchive::make(Contents contents, bool isNeeded)
{
    const bool isTree = contents == Contents::Tree;
    const QStringList programs{QCoreApplication::applicationFilePath(), findProgram("drover-runner")};
    const QStringList libraries = isTree ? librariesOf(programs) : QStringList();
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const QString &path : programs + libraries) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file))
            throw CommandError(ExitError, QStringLiteral("cannot read %1: %2").arg(path, file.errorString()));
    }
    utsname system{};
    ::uname(&system);
    return {.release = QStringLiteral("%1-%2%3").arg(QCoreApplication::applicationVersion(),
                                                     QString::fromLatin1(hash.result().toHex().left(LettersOfHash)),
                                                     isTree ? QStringLiteral("-tree") : QString()),
            .system = QStringLiteral("%1-%2").arg(QLatin1String(system.sysname), QLatin1String(system.machine)),
            .bytes = isNeeded ? packed(programs, libraries) : QByteArray()};
}

} // namespace drover::app
