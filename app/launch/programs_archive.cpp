#include "app/launch/programs_archive.h"

#include "app/cli/failure.h"
#include "app/environment/programs.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLibraryInfo>
#include <QProcess>
#include <QRegularExpression>
#include <QStringList>

#include <sys/utsname.h>

namespace drover::app {

namespace {

constexpr int LettersOfHash = 12;
constexpr int TarLimitMs = 120'000;
constexpr int LddLimitMs = 60'000;

// What a program of this machine has printed when it has ended with exit code 0. Blocks, for `limitMs` at most. Throws
// CommandError: "cannot DOING: ..." with what it printed as its error.
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

QStringList qtPlugins()
{
    QStringList plugins;
    for (const char *const kind : {"sqldrivers", "tls"}) {
        const QDir folder(QLibraryInfo::path(QLibraryInfo::PluginsPath) + u'/' + QLatin1String(kind));
        for (const QFileInfo &plugin : folder.entryInfoList({QStringLiteral("*.so")}, QDir::Files))
            plugins.append(plugin.filePath());
    }
    return plugins;
}

// Qt loads those of OpenSSL by their names, so ldd does not know them.
QStringList openSslBeside(const QStringList &libraries)
{
    QStringList found;
    for (const QString &library : libraries) {
        const QFileInfo file(library);
        if (!file.fileName().startsWith(u"libQt6Network."))
            continue;
        for (const QFileInfo &each :
             file.dir().entryInfoList({QStringLiteral("libssl.so.*"), QStringLiteral("libcrypto.so.*")}, QDir::Files))
            found.append(each.filePath());
    }
    return found;
}

// What these programs need to run on a machine that has nothing but a C library. These are shared libraries, and the
// plugins of Qt for the history and for encrypted output. Absolute paths, each once.
QStringList librariesOf(const QStringList &programs)
{
    static const QRegularExpression line(QStringLiteral("^\\s+(\\S+) => (/\\S+) "),
                                         QRegularExpression::MultilineOption);
    static const QRegularExpression ofTheCLibrary(
        QStringLiteral("^(ld-linux.*|lib(c|m|dl|rt|util|anl|resolv|pthread|nss_.*))\\.so"));
    const QStringList plugins = qtPlugins();
    const QString needed =
        QString::fromLocal8Bit(outputOf(QStringLiteral("ldd"), programs + plugins, LddLimitMs,
                                        QStringLiteral("ask ldd for the libraries of the programs")));
    QStringList libraries;
    for (auto it = line.globalMatch(needed); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        if (!ofTheCLibrary.match(match.captured(1)).hasMatch())
            libraries.append(match.captured(2));
    }
    libraries += openSslBeside(libraries) + plugins;
    libraries.removeDuplicates();
    return libraries;
}

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
