#include "app/environment/credentials_file.h"

#include "app/cli/failure.h"
#include "app/environment/directories.h"
#include "jobs/cluster/acl_table.h"
#include "posix/file_descriptor.h"
#include "posix/process.h"
#include "trust/private_file.h"
#include "zk/error.h"

#include <QFile>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drover::app {

namespace {

constexpr qsizetype MostInput = 1024 * 1024;

QByteArray readInput()
{
    QByteArray all;
    QByteArray part(64 * 1024, Qt::Uninitialized);
    while (all.size() <= MostInput) {
        const ssize_t count = ::read(STDIN_FILENO, part.data(), static_cast<std::size_t>(part.size()));
        if (count == 0)
            return all;
        if (count > 0)
            all.append(part.constData(), count);
        else if (errno != EINTR)
            throw trust::BadCredentials(
                QStringLiteral("it cannot be read: %1").arg(QString::fromLocal8Bit(std::strerror(errno))));
    }
    throw trust::BadCredentials(QStringLiteral("it has more than a megabyte"));
}

// A file has to be as private as one that is named by its path. A pipe is its writer's matter.
void requirePrivateInput()
{
    struct ::stat input {
    };
    if (::fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) && trust::isForOthers(input.st_mode))
        throw trust::BadCredentials(QStringLiteral("other users may read it; take that right away: chmod 600"));
}

// Who has the descriptor of a file could read that from its beginning again.
void closeInput()
{
    const posix::FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing || ::dup2(nothing.get(), STDIN_FILENO) < 0)
        throw trust::BadCredentials(
            QStringLiteral("it cannot be closed: %1").arg(QString::fromLocal8Bit(std::strerror(errno))));
}

// The text of a credentials file that another process hands over by standard input. systemd does so with a file that
// root alone may read (StandardInput=file:). The first call reads it to its end and keeps it; the later ones return it
// again. Nothing is left for jobs, which are of the same user. Standard input is /dev/null from then on, here and in
// children, and this process is hidden from others (posix::hideFromOthers()).
//
// Only for one thread. It blocks until standard input ends. Throws trust::BadCredentials if that is a terminal, a file
// that others may read, cannot be read, or has more than a megabyte.
QByteArray credentialsFromInput()
{
    static std::optional<QByteArray> text;
    if (text)
        return *text;
    posix::hideFromOthers();
    if (::isatty(STDIN_FILENO) != 0)
        throw trust::BadCredentials(QStringLiteral("it is a terminal"));
    requirePrivateInput();
    const QByteArray all = readInput();
    closeInput();
    text = all;
    return *text;
}

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
