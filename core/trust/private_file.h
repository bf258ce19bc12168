#pragma once

#include "trust/errors.h"

#include <QByteArray>

#include <sys/types.h>

namespace drover::trust {

// Files that hold secrets. Both functions block on the file system, and throw BadCredentials with one line for people.

// Reads a file of at most a megabyte. Its owner must be root or this process's user, and others must not read or write
// it. Nor may others write to a folder above it, unless the folder has the sticky bit, as /tmp has.
QByteArray readPrivateFile(const QString &path);

// Whether others than the owner may read or write a file of this mode.
bool isForOthers(mode_t mode);

// Creates the file with mode 0600, or replaces it in one step. The folder must exist.
void writePrivateFile(const QString &path, const QByteArray &bytes);

} // namespace drover::trust
