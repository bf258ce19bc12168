#include "app/launch/libraries.h"

#include "app/launch/finished_program.h"

#include <QDir>
#include <QFileInfo>
#include <QLibraryInfo>
#include <QRegularExpression>

namespace drover::app {

namespace {

constexpr int LddLimitMs = 60'000;

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

} // namespace drover::app
