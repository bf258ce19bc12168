#pragma once

#include "app/bench/setup/bench_cluster.h"

namespace drover::app {

struct ClaimsBenchOptions {
    qint64 queued = 50'000; // unfinished jobs at any time
    QStringList command{QStringLiteral("/bin/true")};
    int slotCount = 2;
    async::Duration warmUp = std::chrono::seconds(2); // not counted
    async::Duration duration = std::chrono::seconds(5);
};

// Measures how many jobs a second one worker runs from a queue that always has `queued` jobs (per_s). A new job is
// submitted for each that ends. `cluster` must have no workers. Throws std::runtime_error if the worker ends.
async::Task<Figures> measureClaims(BenchCluster &cluster, ClaimsBenchOptions options);

} // namespace drover::app
