#pragma once

#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::output {

// Returns when nobody runs this attempt any more: its claim has gone, or is another's. One watch. Lost connections are
// waited out; throws SessionLost.
async::Task<void> untilAttemptEnds(zk::Coordinator &zk, jobs::Layout layout, jobs::JobId id, int attempt);

} // namespace drover::output
