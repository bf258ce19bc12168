#pragma once

#include "posix/file_descriptor.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QString>

#include <functional>

#include <sys/stat.h>

namespace drover::files {

// System calls on files. They repeat interrupted and partial calls, throw FileError, and block. Paths are those of
// FileStore::canonicalPath(): a symbolic link that has come since is refused.

posix::FileDescriptor openFile(const QString &path, int flags); // mode 0666 less the umask; close on exec
posix::FileDescriptor openIfThere(const QString &path, int flags); // none if there is no such file
struct ::stat statOf(const posix::FileDescriptor &fd, const QString &path);

void writeAll(const posix::FileDescriptor &fd, const QString &path, const QByteArray &bytes, qint64 offset);
// Shorter at the file's end.
QByteArray readAt(const posix::FileDescriptor &fd, const QString &path, qint64 offset, qint64 length);
void syncFile(const posix::FileDescriptor &fd, const QString &path);
void syncFolder(const QString &path);

inline constexpr qint64 ChunkSize = 1024 * 1024;

// Calls `take` with the bytes from `offset` on, chunk by chunk; stops at the file's end. Returns the number of bytes.
qint64 forEachChunk(const posix::FileDescriptor &fd, const QString &path, qint64 offset, qint64 length,
                    const std::function<void(const QByteArray &)> &take);
// Hexadecimal. Covers fewer bytes if the file ends earlier.
QByteArray sha256Of(const posix::FileDescriptor &fd, const QString &path, qint64 offset, qint64 length);

} // namespace drover::files
