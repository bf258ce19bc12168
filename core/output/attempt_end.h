#pragma once

#include "jobs/model/cluster.h"

namespace drover::output {

// Returns when no worker runs this attempt any more: its claim is gone or belongs to another attempt. Leaves one watch.
// Waits out lost connections; throws SessionLost.
async::Task<void> untilAttemptEnds(jobs::Cluster cluster, jobs::JobId id, int attempt);

} // namespace drover::output
