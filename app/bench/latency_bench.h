#pragma once

#include "app/bench/figures/figures.h"
#include "jobs/model/cluster.h"

namespace drover::app {

// Runs `count` jobs on an idle cluster, one at a time, through the client library. It measures from just before the
// submit until the job's process runs, and until waitForEnd() returns. The process is `date` on this machine and prints
// its time itself, so the figure includes the start of `date`. Up to 100 uncounted jobs run first, because a new server
// is slow. Throws std::runtime_error if a job fails.
async::Task<Figures> measureLatency(jobs::Cluster cluster, int count);

} // namespace drover::app
