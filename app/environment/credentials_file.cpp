#include "app/environment/credentials_file.h"

#include "app/cli/failure.h"
#include "app/environment/credentials_input.h"
#include "app/environment/directories.h"
#include "jobs/cluster/acl_table.h"
#include "zk/error.h"

#include <QFile>

namespace drover::app {

namespace {

FoundCredentials readFor(const Settings &settings, const QString &path)
{
    const bool isInput = path == CredentialsOfInput;
    try {
        auto credentials = std::make_shared<const trust::Credentials>(
            isInput ? trust::Credentials::decode(credentialsFromInput()) : trust::Credentials::read(path));
        if (credentials->cluster != settings.cluster)
            throw trust::BadCredentials(
                QStringLiteral("the credentials file %1 is of cluster %2, not of %3; name another with --credentials")
                    .arg(path, QString::fromUtf8(credentials->cluster), QString::fromLatin1(settings.cluster)));
        return {isInput ? QString() : path, std::move(credentials)};
    } catch (const trust::BadCredentials &error) {
        QString place = path == settings.credentials ? settings.credentialsPlace : QString();
        if (isInput)
            place = QStringLiteral("standard input");
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

FoundCredentials findCredentials(const Settings &settings)
{
    if (settings.credentials == u"none")
        return {};
    if (!settings.credentials.isEmpty())
        return readFor(settings, settings.credentials);
    const QString local = localCredentialsFile(settings.cluster);
    if (!settings.connect.isEmpty() && QFile::exists(local)) {
        FoundCredentials found = readFor(settings, local);
        if (found.credentials->servers == settings.connect)
            return found;
    }
    for (const QString &path : {userCredentialsFile(settings.cluster), systemCredentialsFile(settings.cluster)}) {
        if (QFile::exists(path))
            return readFor(settings, path);
    }
    return {};
}

FoundCredentials findCredentialsOf(Settings settings, const QString &connect, const QByteArray &cluster)
{
    if (settings.cluster != cluster && settings.credentials != u"none")
        settings.credentials.clear();
    settings.connect = connect;
    settings.cluster = cluster;
    return findCredentials(settings);
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
    for (const QByteArray &secret : credentials->digestSecrets())
        access.auth.push_back({QByteArrayLiteral("digest"), secret});
    access.acl = jobs::aclOfNewNodes(layout, credentials->identities, credentials->formerIdentities,
                                     access.acl ? access.acl : openOutside(layout));
    return access;
}

zk::Access accessByPassword(const QByteArray &digest, const jobs::Layout &layout)
{
    zk::Access access = accessWith(nullptr, layout);
    access.auth.push_back({QByteArrayLiteral("digest"), digest});
    access.acl = [layout, outside = access.acl](const zk::Path &path) {
        if (jobs::isWithin(layout, path))
            zk::throwFailure(zk::Code::NoAuth, "create", path);
        return outside ? outside(path) : zk::parseAcl("creator");
    };
    return access;
}

} // namespace drover::app
