#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Finds jobs that no present worker can ever run, and gangs with more members than all workers have slots or a limit
// has permits. It lists each queue and reads its first 64 ready jobs and 64 arrays. A queue without a worker is left
// out. Throws SessionLost and ConnectionLoss.
async::Task<void> findStuckJobs(jobs::Cluster cluster, QByteArrayList queues, Findings &findings);

} // namespace drover::app
