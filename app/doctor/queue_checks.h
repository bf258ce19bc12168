#pragma once

#include "app/doctor/finding.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::app {

// Looks for jobs that none of the present workers can ever run, among the first ready ones of each of these queues: a
// listing of each, and at most 64 jobs. A queue that nobody serves is left out. Throws SessionLost, ConnectionLoss.
async::Task<Findings> findStuckJobs(zk::Coordinator &zk, jobs::Layout layout, QByteArrayList queues);

} // namespace drover::app
