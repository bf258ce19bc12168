#pragma once

#include <QStringList>

namespace drover::app {

// What these programs need of this machine to run on another one that has nothing of it but the C library: shared
// libraries, and the plugins of Qt for the history and for encrypted output with theirs. Absolute paths, each once.
// Blocks: it runs ldd. Throws CommandError.
QStringList librariesOf(const QStringList &programs);

} // namespace drover::app
