#pragma once

#include "app/doctor/finding.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::app {

// Compares shared files with their ledgers as far as each append does before it writes, at most a hundred of them. A
// file of which nothing is to be seen on this machine is left out. Throws SessionLost.
async::Task<Findings> checkFiles(zk::Coordinator &zk, jobs::Layout layout);

} // namespace drover::app
