#pragma once

#include <QStringList>

namespace drover::app {

// The whole run of the program once QCoreApplication exists; returns its exit code. The arguments are those that
// typedText() makes, the first is the program.
int runProgram(const QStringList &arguments);

} // namespace drover::app
