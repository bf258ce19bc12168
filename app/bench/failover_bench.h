#pragma once

#include "app/bench/bench_cluster.h"

namespace drover::app {

struct FailoverBenchOptions {
    int workers = 3;
    int slotCount = 4;
    qint64 jobs = 600; // for the worker's part, a fifth of a second each
    qint64 unfinished = 50'000; // for the master's part: jobs that wait for a time to come
    std::chrono::milliseconds sessionTimeout{10'000}; // of the workers
};

// What a death costs, with real processes and SIGKILL. `cluster` is one without workers.
//
// A worker is killed in the midst of short jobs. Each job writes a line when its process begins; once all have ended,
// the lines are compared with the claims that the dead worker has left. Throws std::runtime_error if a job that was not
// its own ran twice, or any has not ended once and well.
//
// Then the master is killed, while jobs wait that all are the master's to watch. What the next one does first cannot be
// seen; so a job is submitted meanwhile whose turn only a master can tell, and its end is awaited.
async::Task<Figures> measureFailover(BenchCluster &cluster, FailoverBenchOptions options);

} // namespace drover::app
