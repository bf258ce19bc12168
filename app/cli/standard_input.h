#pragma once

#include "async/task.h"

#include <QByteArray>
#include <QString>

namespace drover::app {

// These read up to the end. The event loop runs meanwhile, so a signal ends the wait.

// Throws CommandError if standard input cannot be read.
async::Task<QByteArray> readStandardInput();

// Whether a pipe or a file at standard input has bytes now that are still unread. False for a terminal.
bool hasUnreadInput();

// Reads at most the first `limit` bytes of a file, which may be a FIFO without a writer yet. Throws CommandError
// (ExitUsage) if it cannot be read; `what` names the file in the message: "the job file x".
async::Task<QByteArray> readFile(QString path, qint64 limit, QString what);

} // namespace drover::app
