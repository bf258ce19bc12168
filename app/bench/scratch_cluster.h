#pragma once

#include "jobs/cluster.h"

namespace drover::app {

// Makes a cluster that takes `jobs` jobs and keeps all their final records. Throws SessionLost.
async::Task<void> makeScratchCluster(zk::Coordinator &zk, jobs::Layout layout, qint64 jobs);

} // namespace drover::app
