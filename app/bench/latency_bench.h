#pragma once

#include "app/bench/figures.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::app {

// One job at a time on an idle cluster, through the client library: from just before the submit to the moment at which
// the job's process runs, as it prints itself (`date`, on this machine, its own start included), and to the return of
// waitForEnd(). As many jobs again, at most 100, run first and are not counted: a server just started is slow.
// Throws std::runtime_error if a job fails.
async::Task<Figures> measureLatency(zk::Coordinator &zk, jobs::Layout layout, int count);

} // namespace drover::app
