#pragma once

#include <QStringList>

namespace drover::app {

// What these programs need to run on a machine that has nothing but a C library. These are shared libraries, and the
// plugins of Qt for the history and for encrypted output. Absolute paths, each once. Blocks: it runs ldd. Throws
// CommandError.
QStringList librariesOf(const QStringList &programs);

} // namespace drover::app
