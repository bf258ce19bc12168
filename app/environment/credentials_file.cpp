#include "app/environment/credentials_file.h"

#include "app/cli/failure.h"
#include "app/environment/directories.h"
#include "jobs/cluster/acl_table.h"

#include <QFile>

namespace drover::app {

namespace {

std::shared_ptr<const trust::Credentials> readFor(const Settings &settings, const QString &path)
{
    try {
        auto credentials = std::make_shared<const trust::Credentials>(trust::Credentials::read(path));
        if (credentials->cluster != settings.cluster)
            throw trust::BadCredentials(
                QStringLiteral("the credentials file %1 is of cluster %2, not of %3; name another with --credentials")
                    .arg(path, QString::fromUtf8(credentials->cluster), QString::fromLatin1(settings.cluster)));
        return credentials;
    } catch (const trust::BadCredentials &error) {
        const QString place = path == settings.credentials ? settings.credentialsPlace : QString();
        throw CommandError(ExitDenied, (place.isEmpty() ? place : place + u": "_qs) + QString::fromUtf8(error.what()));
    }
}

bool isAbove(const zk::Path &path, const zk::Path &below)
{
    return path.isRoot() || below.bytes().startsWith(path.bytes() + '/');
}

// Paths outside the cluster are open, as other programs have them.
zk::AclOfPath openOutside(const jobs::Layout &layout)
{
    return [root = layout.root(), told = false](const zk::Path &path) mutable {
        if (!isAbove(path, root) && !std::exchange(told, true))
            Output::message(QStringLiteral("%1 is outside the cluster's %2: all clients of ZooKeeper may change it")
                                .arg(path.toString(), root.toString()));
        return zk::openAcl();
    };
}

} // namespace

std::shared_ptr<const trust::Credentials> findCredentials(const Settings &settings)
{
    if (settings.credentials == u"none")
        return nullptr;
    if (!settings.credentials.isEmpty())
        return readFor(settings, settings.credentials);
    const QString local = localCredentialsFile(settings.cluster);
    if (!settings.connect.isEmpty() && QFile::exists(local)) {
        auto credentials = readFor(settings, local);
        if (credentials->servers == settings.connect)
            return credentials;
    }
    for (const QString &path : {userCredentialsFile(settings.cluster), systemCredentialsFile(settings.cluster)}) {
        if (QFile::exists(path))
            return readFor(settings, path);
    }
    return nullptr;
}

zk::Access accessWith(const trust::Credentials *credentials, const jobs::Layout &layout)
{
    zk::Access access;
    try {
        access = zk::Access::fromEnvironment();
    } catch (const zk::InvalidAccess &error) {
        throw UsageError(QString::fromUtf8(error.what()));
    }
    if (!credentials)
        return access;
    for (const auto &[role, password] : credentials->passwords)
        access.auth.push_back({QByteArrayLiteral("digest"), credentials->digestSecret(role)});
    access.acl = jobs::aclOfNewNodes(layout, credentials->identities, access.acl ? access.acl : openOutside(layout));
    return access;
}

} // namespace drover::app
