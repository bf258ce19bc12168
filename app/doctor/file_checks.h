#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Compares at most a hundred shared files with their ledgers, with the checks that each append makes before it writes.
// Files that this machine does not have are left out. Throws SessionLost.
async::Task<void> checkFiles(jobs::Cluster cluster, Findings &findings);

} // namespace drover::app
