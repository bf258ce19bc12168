#pragma once

#include <QStringList>

namespace drover::app {

// Scripts that teach a shell to complete the words of drover. They know no command and no option themselves: each asks
// `drover complete -- WORD...`, the very program whose line is typed.

QStringList completionShells(); // "bash", "fish", "zsh"

// Nothing for a shell that is not among them.
QByteArray completionScript(const QString &shell);

} // namespace drover::app
