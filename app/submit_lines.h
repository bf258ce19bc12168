#pragma once

#include "app/context.h"

namespace drover::app {

// `drover submit --stdin`: one job in JSON a line, several hundred under way at once; prints their ids in the order of
// the lines. A line that is refused is told on standard error, the others go on. The exit code: 1 if any was refused.
//
// After a signal, or when standard output cannot be written, it reads no more lines and answers those that are under
// way; ids that could not be printed are in the message. When ZooKeeper is lost, too: the ids that are known are printed,
// also those behind a line that has no answer, and messages name the lines that may have been submitted or not, and those
// that were not. The exit code is 6 then.
async::Task<int> submitLines(Context &context);

} // namespace drover::app
