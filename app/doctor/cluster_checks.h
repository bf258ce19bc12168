#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Checks an existing cluster: its workers, master, queues, final records and history. It reads counters, the members,
// the first jobs of each queue, and the shared files that this machine has. Throws SessionLost and ConnectionLoss.
// `isForRootAlone`: it is root's own, so its workers do not harm others if they run jobs as root.
async::Task<Findings> checkCluster(jobs::Cluster cluster, bool isForRootAlone);

} // namespace drover::app
