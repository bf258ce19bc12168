#include "app/trust/key_files.h"

#include "app/environment/directories.h"
#include "app/environment/or_denied.h"

#include <QDir>
#include <QFileInfo>

namespace drover::app {

trust::Credentials readCredentials(const QString &path)
{
    return orDenied([&] { return trust::Credentials::read(path); });
}

QString rootKeyFile(const Arguments &arguments)
{
    return arguments.has("root-key") ? arguments.value("root-key") : QStringLiteral("root.key");
}

trust::RootKey readRootKey(const Arguments &arguments)
{
    return readRootKey(rootKeyFile(arguments));
}

trust::RootKey readRootKey(const QString &path)
{
    if (!QFileInfo::exists(path)) {
        const QDir ofUp(trustDirectory());
        const QStringList files = ofUp.entryList({QStringLiteral("*.root.key")}, QDir::Files);
        throw CommandError(
            ExitNotFound,
            QStringLiteral("there is no root key at %1; name the file that drover cluster init made, "
                           "with --root-key%2")
                .arg(path,
                     files.isEmpty() ? QString()
                                     : QStringLiteral(" (that of drover up: %1)").arg(ofUp.filePath(files.first()))));
    }
    return orDenied([&] { return trust::RootKey::read(path); });
}

QCommandLineOption rootKeyOption()
{
    return option("root-key", "the file with the cluster's root key (default: root.key)", "FILE");
}

void requireNoFile(const QString &path)
{
    const QFileInfo file(path);
    if (file.exists() || file.isSymLink())
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 exists already; move it away, or choose another name").arg(path));
}

void writeNew(const QString &path, const trust::Credentials &credentials)
{
    requireNoFile(path);
    orDenied([&] { credentials.write(path); });
}

void writeNew(const QString &path, const trust::RootKey &root)
{
    requireNoFile(path);
    orDenied([&] { root.write(path); });
}

QString logIn(const trust::Credentials &credentials, bool isForMachine)
{
    const QString path =
        isForMachine ? systemCredentialsFile(credentials.cluster) : userCredentialsFile(credentials.cluster);
    if (isForMachine)
        makeMachineDirectory();
    makeDirectory(QFileInfo(path).path());
    orDenied([&] { credentials.write(path); });
    return path;
}

} // namespace drover::app
