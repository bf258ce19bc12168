#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Checks an existing cluster: its workers, master, queues, final records and history. It reads counters, the members,
// the first jobs of each queue, and the shared files that this machine has. A node that may not be read ends the check
// that meets it, and a finding says so. What that check has found stays, and the other checks go on. Throws SessionLost
// and ConnectionLoss. `findings` outlives the task. `isForRootAlone`: the cluster is root's own, so its workers do not
// harm others if they run jobs as root.
async::Task<void> checkCluster(jobs::Cluster cluster, bool isForRootAlone, Findings &findings);

} // namespace drover::app
