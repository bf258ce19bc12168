#include "files/file_access.h"

#include "files/file_store.h"
#include "posix/beneath_open.h"

#include <QFile>

#include <cerrno>

#include <fcntl.h>

namespace drover::files {

using posix::FileDescriptor;

namespace {

FileDescriptor tryOpen(const QString &path, int flags)
{
    constexpr mode_t Mode = 0666;
    return posix::openResolved(QFile::encodeName(path).toStdString(), flags, Mode);
}

} // namespace

FileDescriptor openFile(const QString &path, int flags)
{
    FileDescriptor fd = tryOpen(path, flags);
    if (!fd)
        throw FileError(QStringLiteral("open %1").arg(path), errno);
    return fd;
}

FileDescriptor openIfThere(const QString &path, int flags)
{
    FileDescriptor fd = tryOpen(path, flags);
    if (!fd && errno != ENOENT)
        throw FileError(QStringLiteral("open %1").arg(path), errno);
    return fd;
}

struct ::stat statOf(const FileDescriptor &fd, const QString &path)
{
    struct ::stat stat {
    };
    if (::fstat(fd.get(), &stat) != 0)
        throw FileError(QStringLiteral("look at %1").arg(path), errno);
    return stat;
}

void writeAll(const FileDescriptor &fd, const QString &path, const QByteArray &bytes, qint64 offset)
{
    for (qsizetype done = 0; done < bytes.size();) {
        const ssize_t written =
            ::pwrite(fd.get(), bytes.constData() + done, static_cast<std::size_t>(bytes.size() - done), offset + done);
        if (written < 0 && errno != EINTR)
            throw FileError(QStringLiteral("write to %1").arg(path), errno);
        done += std::max<ssize_t>(written, 0);
    }
}

QByteArray readAt(const FileDescriptor &fd, const QString &path, qint64 offset, qint64 length)
{
    QByteArray bytes(length, Qt::Uninitialized);
    qint64 done = 0;
    while (done < length) {
        const ssize_t got =
            ::pread(fd.get(), bytes.data() + done, static_cast<std::size_t>(length - done), offset + done);
        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            throw FileError(QStringLiteral("read %1").arg(path), errno);
        done += std::max<ssize_t>(got, 0);
    }
    bytes.truncate(done);
    return bytes;
}

void syncFile(const FileDescriptor &fd, const QString &path)
{
    if (::fsync(fd.get()) != 0)
        throw FileError(QStringLiteral("store %1").arg(path), errno);
}

void syncFolder(const QString &path)
{
    syncFile(openFile(path, O_RDONLY | O_DIRECTORY), path);
}

qint64 forEachChunk(const FileDescriptor &fd, const QString &path, qint64 offset, qint64 length,
                    const std::function<void(const QByteArray &)> &take)
{
    qint64 done = 0;
    while (done < length) {
        const QByteArray chunk = readAt(fd, path, offset + done, std::min(ChunkSize, length - done));
        if (chunk.isEmpty())
            break;
        take(chunk);
        done += chunk.size();
    }
    return done;
}

QByteArray sha256Of(const FileDescriptor &fd, const QString &path, qint64 offset, qint64 length)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    forEachChunk(fd, path, offset, length, [&hash](const QByteArray &chunk) { hash.addData(chunk); });
    return hash.result().toHex();
}

} // namespace drover::files
