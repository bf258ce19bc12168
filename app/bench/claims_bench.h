#pragma once

#include "app/bench/bench_cluster.h"

namespace drover::app {

struct ClaimsBenchOptions {
    qint64 queued = 50'000; // unfinished jobs, all the time
    QStringList command{QStringLiteral("/bin/true")};
    int slotCount = 2;
    async::Duration warmUp = std::chrono::seconds(2); // not counted
    async::Duration duration = std::chrono::seconds(5);
};

// How many jobs one worker runs out of a queue that is never shorter than `queued` (per_s): whatever ends is submitted
// again. `cluster` is one without workers. Throws std::runtime_error when the worker ends.
async::Task<Figures> measureClaims(BenchCluster &cluster, ClaimsBenchOptions options);

} // namespace drover::app
