#pragma once

#include "async/task.h"
#include "jobs/model/cluster.h"

#include <chrono>
#include <optional>

namespace drover::jobs {

// The time by which this machine's clock is certainly ahead of the servers'; negative: behind. It makes a node that
// lives for a moment. Nothing: that is not allowed. Throws SessionLost and ConnectionLoss.
async::Task<std::optional<std::chrono::milliseconds>> ownClockAhead(Cluster cluster);

// Throws WrongState if workers would refuse what is signed now, because it comes from their future.
// Nothing in an open cluster, or if the connection is lost meanwhile. Throws SessionLost.
async::Task<void> requireClockToSign(Cluster cluster);

} // namespace drover::jobs
