#pragma once

#include "app/bench/figures/distribution.h"
#include "app/bench/setup/bench_cluster.h"

namespace drover::app {

// Measures how soon jobs start on busy workers.
struct LoadBenchOptions {
    struct Workers {
        int count = 1;
        int slotCount = 1; // of each worker

        QString name() const { return QStringLiteral("%1x%2").arg(count).arg(slotCount); }
    };

    std::vector<Workers> workers; // one measurement for each entry
    int percent = 95; // average use of the slots
    std::chrono::milliseconds jobDuration{100};
    std::chrono::seconds length{20};
};

// Jobs arrive at random instants that do not depend on the workers (an open loop with Poisson arrivals). The result is
// the time from a job's due submit to the start of its process, in milliseconds by the clock of this machine. The first
// tenth is not counted. Throws std::runtime_error if a job fails.
async::Task<Distribution> measureUnderLoad(BenchCluster &cluster, LoadBenchOptions options,
                                           LoadBenchOptions::Workers workers);

// The figures of all measurements, and the ratio of the first to the last.
Figures underLoad(const LoadBenchOptions &options, const std::vector<Distribution> &starts);

} // namespace drover::app
