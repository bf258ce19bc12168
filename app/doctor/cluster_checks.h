#pragma once

#include "app/doctor/finding.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::app {

// Looks at the nodes of a cluster that is there: its workers, master, queues, final records and history. It reads
// counters, the members, and the first jobs of each queue; and shared files, as far as this machine has them. Throws
// SessionLost, ConnectionLoss.
async::Task<Findings> checkCluster(zk::Coordinator &zk, jobs::Layout layout);

} // namespace drover::app
