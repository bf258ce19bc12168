#include "trust/private_file.h"

#include "posix/trusted_open.h"

#include <QFile>
#include <QSaveFile>

#include <climits>
#include <cstring>

namespace drover::trust {

namespace {

constexpr qint64 MaxPrivateSize = 1024 * 1024;

[[noreturn]] void refuse(const QString &path, const QString &why)
{
    throw BadCredentials(QStringLiteral("%1 %2").arg(path, why));
}

QString reason()
{
    return QString::fromLocal8Bit(std::strerror(errno));
}

bool isOurs(const struct ::stat &status)
{
    return status.st_uid == ::geteuid() || status.st_uid == 0;
}

// Who may write to a folder can put another file in the place of this one.
void requireSafeFolders(const QString &file, std::string folder)
{
    for (;; folder.resize(folder.rfind('/'))) {
        const std::string path = folder.empty() ? "/" : folder;
        struct ::stat status {
        };
        if (::stat(path.c_str(), &status) != 0)
            refuse(file, QStringLiteral("cannot be read: %1: %2").arg(QString::fromStdString(path), reason()));
        const bool isOthers = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (status.st_mode & S_ISVTX) == 0;
        if (!isOurs(status) || isOthers)
            refuse(file,
                   QStringLiteral("is not safe: other users may write to %1; chmod go-w it, or move the file")
                       .arg(QString::fromStdString(path)));
        if (folder.empty())
            return;
    }
}

} // namespace

bool isForOthers(mode_t mode)
{
    return (mode & (S_IRWXG | S_IRWXO)) != 0;
}

QByteArray readPrivateFile(const QString &path)
{
    const QByteArray absolute = QFile::encodeName(path);
    const std::optional<posix::TrustedPlace> place = posix::trustedPlace(absolute.toStdString());
    posix::FileDescriptor file;
    if (place)
        file = posix::FileDescriptor(::openat(place->folder.get(), place->name.c_str(),
                                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct ::stat status {
    };
    if (!file || ::fstat(file.get(), &status) != 0)
        refuse(path, QStringLiteral("cannot be read: %1").arg(reason()));
    if (!S_ISREG(status.st_mode) || status.st_size > MaxPrivateSize)
        refuse(path, QStringLiteral("is not a regular file of at most a megabyte"));
    if (!isOurs(status))
        refuse(path, QStringLiteral("is not safe: it belongs to another user; chown it, or make it anew"));
    if (isForOthers(status.st_mode))
        refuse(path,
               QStringLiteral("is not safe: other users may read or write it; chmod 600 it, and have it renewed "
                              "if they may have read it"));
    char folder[PATH_MAX];
    const std::string link = "/proc/self/fd/" + std::to_string(place->folder.get());
    const ssize_t length = ::readlink(link.c_str(), folder, sizeof folder);
    if (length <= 0)
        refuse(path, QStringLiteral("cannot be read: %1").arg(reason()));
    const std::string folderName(folder, std::size_t(length));
    requireSafeFolders(path, folderName == "/" ? std::string() : folderName);

    QFile reader;
    if (!reader.open(file.get(), QIODevice::ReadOnly))
        refuse(path, QStringLiteral("cannot be read: %1").arg(reader.errorString()));
    return reader.read(MaxPrivateSize);
}

void writePrivateFile(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path); // with the mode 0600 from its creation on
    const bool isWritten = file.open(QIODevice::WriteOnly)
        && file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner) && file.write(bytes) == bytes.size()
        && file.flush() // commit() does not tell that the disk is full, and leaves an empty file
        && file.commit();
    if (!isWritten)
        refuse(path, QStringLiteral("cannot be written: %1").arg(file.errorString()));
}

} // namespace drover::trust
