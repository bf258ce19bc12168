#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Warns of queues, limits and locks that have given out nine tenths of their sequence numbers (jobs/cluster/numbers.h).
// One without numbers is a problem: its submits are refused, or its jobs wait. It reads the counters of each. Throws
// SessionLost and ConnectionLoss.
async::Task<void> findUsedUpNumbers(jobs::Cluster cluster, QByteArrayList queues, Findings &findings);

} // namespace drover::app
