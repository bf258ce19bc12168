#pragma once

#include <QStringList>

namespace drover::app {

// Scripts with which a shell completes the words of drover. They contain no commands or options: each calls `drover
// complete -- WORD...` of the program that is being typed.

QStringList completionShells(); // "bash", "fish", "zsh"

// Empty for any other shell.
QByteArray completionScript(const QString &shell);

} // namespace drover::app
