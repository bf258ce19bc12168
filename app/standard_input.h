#pragma once

#include "async/task.h"

#include <QByteArray>

namespace drover::app {

// Standard input up to its end. The event loop runs meanwhile, so that a signal ends the wait as it ends any other.
// Throws CommandError when it cannot be read.
async::Task<QByteArray> readStandardInput();

} // namespace drover::app
