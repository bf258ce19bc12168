#pragma once

#include "app/context.h"

namespace drover::app {

// `drover submit --stdin`: one job in JSON a line, several hundred under way at once; prints their ids in the order of
// the lines. A line that is refused is told on standard error, the others go on. The exit code: 1 if any was refused.
//
// Ended early, by a signal or the loss of ZooKeeper, it may have submitted jobs whose ids it has not printed.
async::Task<int> submitLines(Context &context);

} // namespace drover::app
