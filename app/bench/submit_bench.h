#pragma once

#include "app/bench/bench_cluster.h"

namespace drover::app {

struct SubmitBenchOptions {
    qint64 jobs = 20'000; // through one session, pipelined
    qint64 processes = 50; // runs of `drover submit -- true`, one after the other; 0: none
};

// What a submit costs: in a program that submits many, and as a whole process. `cluster` is one without workers.
// Throws std::runtime_error when `drover submit` fails.
async::Task<Figures> measureSubmits(BenchCluster &cluster, SubmitBenchOptions options);

} // namespace drover::app
