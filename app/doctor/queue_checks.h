#pragma once

#include "app/doctor/finding.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::app {

// Looks for jobs that none of the present workers can ever run, and for gangs that are too wide for all of them or for a
// limit: among the first ready jobs and the first arrays of each of these queues. It lists each and reads at most 64 jobs
// and 64 arrays of it. A queue that nobody serves is left out. Throws SessionLost, ConnectionLoss.
async::Task<Findings> findStuckJobs(zk::Coordinator &zk, jobs::Layout layout, QByteArrayList queues);

} // namespace drover::app
