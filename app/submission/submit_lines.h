#pragma once

#include "app/environment/context.h"

namespace drover::app {

// `drover submit --stdin`: reads one job in JSON from each line. It submits several hundred at once, and prints their
// ids in the order of the lines. It reports each refused line on standard error and continues; then the exit code is 1.
//
// After a signal, or if standard output cannot be written, it reads no more lines and answers the pending ones. The
// message has the ids that could not be printed. If ZooKeeper is lost, it prints all known ids, also those after a line
// without an answer. Messages name the lines that may have been submitted, and the lines that were not. The exit code
// is 6 then.
async::Task<int> submitLines(Context &context);

} // namespace drover::app
