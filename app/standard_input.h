#pragma once

#include "async/task.h"

#include <QByteArray>
#include <QString>

namespace drover::app {

// These read up to the end. The event loop runs meanwhile, so that a signal ends the wait as it ends any other.

// Throws CommandError when it cannot be read.
async::Task<QByteArray> readStandardInput();

// At most the first `limit` bytes of a file, which may be a FIFO that has no writer yet. Throws CommandError (ExitUsage)
// when it cannot be read; `what` names it there: "the job file x".
async::Task<QByteArray> readFile(QString path, qint64 limit, QString what);

} // namespace drover::app
