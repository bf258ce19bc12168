#pragma once

#include <QtGlobal>

namespace drover::app {

// What a process uses, by /proc; 0 if it has gone.
qint64 residentBytes(qint64 pid);
double cpuSeconds(qint64 pid); // of all its threads, since it began

} // namespace drover::app
