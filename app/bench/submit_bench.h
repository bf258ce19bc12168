#pragma once

#include "app/bench/setup/bench_cluster.h"

namespace drover::app {

struct SubmitBenchOptions {
    qint64 jobs = 20'000; // through one session, pipelined
    qint64 processes = 50; // sequential runs of `drover submit -- true`; 0: none
};

// Measures the cost of a submit, in a program that submits many jobs, and as a process of its own. `cluster` must have
// no workers. Throws std::runtime_error if `drover submit` fails.
async::Task<Figures> measureSubmits(BenchCluster &cluster, SubmitBenchOptions options);

} // namespace drover::app
