#include "app/launch/libraries.h"

#include "app/cli/failure.h"

#include <QDir>
#include <QFileInfo>
#include <QLibraryInfo>
#include <QProcess>
#include <QRegularExpression>

namespace drover::app {

namespace {

constexpr int LimitMs = 60'000;

QString outputOfLdd(const QStringList &files)
{
    QProcess ldd;
    ldd.start(QStringLiteral("ldd"), files);
    if (!ldd.waitForFinished(LimitMs) || ldd.exitStatus() != QProcess::NormalExit || ldd.exitCode() != 0)
        throw CommandError(ExitError,
                           QStringLiteral("cannot ask ldd for the libraries of the programs: %1 %2")
                               .arg(ldd.errorString(), QString::fromLocal8Bit(ldd.readAllStandardError()).trimmed()));
    return QString::fromLocal8Bit(ldd.readAllStandardOutput());
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

} // namespace

QStringList librariesOf(const QStringList &programs)
{
    static const QRegularExpression line(QStringLiteral("^\\s+(\\S+) => (/\\S+) "),
                                         QRegularExpression::MultilineOption);
    static const QRegularExpression ofTheCLibrary(
        QStringLiteral("^(ld-linux.*|lib(c|m|dl|rt|util|anl|resolv|pthread|nss_.*))\\.so"));
    const QStringList plugins = qtPlugins();
    const QString needed = outputOfLdd(programs + plugins);
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

} // namespace drover::app
