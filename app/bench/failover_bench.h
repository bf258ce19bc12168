#pragma once

#include "app/bench/setup/bench_cluster.h"

namespace drover::app {

struct FailoverBenchOptions {
    int workers = 3;
    int slotCount = 4;
    qint64 jobs = 600; // for the worker's death; 0.2 s each
    qint64 unfinished = 50'000; // for the master's death: jobs with a later start
    std::chrono::milliseconds sessionTimeout{10'000}; // of each worker
};

// Measures the cost of a death, with real processes and SIGKILL. `cluster` must have no workers.
//
// First a worker is killed while it runs short jobs. Each job writes a line when its process begins. Once all have
// ended, the lines are compared with the claims that the dead worker left. Throws std::runtime_error if a job that the
// worker had not claimed ran twice, or a job did not succeed exactly once.
//
// Then the master is killed while many jobs wait that the master must watch. The first actions of the next master are
// invisible. So a job that only a master can release is submitted meanwhile, and its end is awaited.
async::Task<Figures> measureFailover(BenchCluster &cluster, FailoverBenchOptions options);

} // namespace drover::app
