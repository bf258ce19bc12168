#pragma once

#include "workers/runner/fd.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QString>

#include <functional>

#include <sys/stat.h>

namespace drover::workers {

// System calls on files that repeat what was interrupted or done in part, and throw FileError. Blocking.

using runner::Fd;

Fd openFile(const QString &path, int flags); // mode 0666 less the umask; close on exec
Fd openIfThere(const QString &path, int flags); // none if there is no such file
struct ::stat statOf(const Fd &fd, const QString &path);

void writeAll(const Fd &fd, const QString &path, const QByteArray &bytes, qint64 offset);
QByteArray readAt(const Fd &fd, const QString &path, qint64 offset, qint64 length); // shorter at the file's end
void syncFile(const Fd &fd, const QString &path);
void syncFolder(const QString &path);

inline constexpr qint64 ChunkSize = 1024 * 1024;

// Calls `take` with the bytes from `offset` on, chunk by chunk; stops at the file's end. Returns how many there were.
qint64 forEachChunk(const Fd &fd, const QString &path, qint64 offset, qint64 length,
                    const std::function<void(const QByteArray &)> &take);
// Hexadecimal; of fewer bytes if the file ends before.
QByteArray sha256Of(const Fd &fd, const QString &path, qint64 offset, qint64 length);

} // namespace drover::workers
