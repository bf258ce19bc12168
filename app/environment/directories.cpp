#include "app/environment/directories.h"

#include "app/cli/failure.h"
#include "posix/home_directory.h"

#include <QDir>
#include <QFile>

#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace drover::app {

namespace {

// The specification has relative paths ignored.
QString fromEnvironment(const char *variable, const QString &fallback)
{
    const QString value = qEnvironmentVariable(variable);
    return (value.startsWith(u'/') ? value : fallback) + QStringLiteral("/drover");
}

QString home(const char *below)
{
    return homeDirectory() + QLatin1String(below);
}

} // namespace

// Without HOME Qt takes the root directory.
QString homeDirectory()
{
    return QDir::cleanPath(QFile::decodeName(QByteArray::fromStdString(posix::homeDirectory())));
}

QString dataDirectory()
{
    return fromEnvironment("XDG_DATA_HOME", home("/.local/share"));
}

QString defaultHistoryFile()
{
    return dataDirectory() + QStringLiteral("/history.sqlite");
}

QString stateDirectory()
{
    return fromEnvironment("XDG_STATE_HOME", home("/.local/state"));
}

QString runtimeDirectory()
{
    const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
    return runtime.startsWith(u'/') ? runtime + QStringLiteral("/drover") : stateDirectory();
}

QString userConfigFile()
{
    return fromEnvironment("XDG_CONFIG_HOME", home("/.config")) + QStringLiteral("/config.toml");
}

QString systemConfigFile()
{
    return QStringLiteral("/etc/drover/config.toml");
}

QString trustDirectory()
{
    return dataDirectory() + QStringLiteral("/trust");
}

QString localCredentialsFile(const QByteArray &cluster)
{
    return QStringLiteral("%1/%2.drover").arg(trustDirectory(), QString::fromLatin1(cluster));
}

QString userCredentialsFile(const QByteArray &cluster)
{
    return fromEnvironment("XDG_CONFIG_HOME", home("/.config")) + QStringLiteral("/credentials/")
        + QString::fromLatin1(cluster);
}

QString systemCredentialsFile(const QByteArray &cluster)
{
    return QStringLiteral("/etc/drover/credentials/") + QString::fromLatin1(cluster);
}

void makeMachineDirectory()
{
    constexpr const char *Directory = "/etc/drover";
    if (::mkdir(Directory, 0755) == 0)
        ::chmod(Directory, 0755); // whatever the umask takes away
}

void makeDirectory(const QString &path)
{
    const QByteArray native = QFile::encodeName(QDir::cleanPath(path));
    for (qsizetype end = native.indexOf('/', 1);; end = native.indexOf('/', end + 1)) {
        const QByteArray part = end < 0 ? native : native.left(end);
        if (::mkdir(part.constData(), 0700) != 0 && errno != EEXIST && errno != EISDIR)
            throw CommandError(
                ExitError,
                QStringLiteral(
                    "cannot make the directory %1: %2; choose another place: a worker's with --spool, others "
                    "with XDG_DATA_HOME, XDG_STATE_HOME and XDG_RUNTIME_DIR")
                    .arg(QFile::decodeName(part), QString::fromLocal8Bit(std::strerror(errno))));
        if (end < 0)
            break;
    }
    const bool isDirectory = QFileInfo(path).isDir();
    if (!isDirectory || ::access(native.constData(), R_OK | W_OK | X_OK) != 0)
        throw CommandError(
            ExitError,
            QStringLiteral("cannot write to the directory %1: %2; %3 or choose another place: a worker's with "
                           "--spool, others with XDG_DATA_HOME, XDG_STATE_HOME and XDG_RUNTIME_DIR")
                .arg(path, QString::fromLocal8Bit(std::strerror(isDirectory ? errno : ENOTDIR)),
                     isDirectory ? QStringLiteral("change its permissions") : QStringLiteral("move it away")));
}

} // namespace drover::app
