#pragma once

#include <QStringList>

namespace drover::app {

// The whole run of the program once QCoreApplication exists; returns its exit code.
int runProgram(const QStringList &arguments);

} // namespace drover::app
