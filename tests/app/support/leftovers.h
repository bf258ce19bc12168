#pragma once

#include <QList>
#include <QString>

#include <chrono>

namespace drover::test {

struct Leftover {
    qint64 pid = 0;
    QString command; // its command line
};

// A process that its parent has not waited for yet does not run.
bool isRunning(qint64 pid);

// The running processes, this one left out, that have something to do with `directory`: their command line, their
// working directory or their environment names it. Of the processes of other users, and of those that hide, only the
// command line is seen.
QList<Leftover> processesIn(const QString &directory);

// Waits until there is none, with the event loop running. Kills those that are left after `patience`, and returns them.
QList<Leftover> endProcessesIn(const QString &directory, std::chrono::milliseconds patience);

} // namespace drover::test
