#pragma once

#include "app/bench/bench_cluster.h"
#include "app/bench/distribution.h"

namespace drover::app {

// How soon jobs start on busy workers.
struct LoadBenchOptions {
    struct Workers {
        int count = 1;
        int slotCount = 1; // of each

        QString name() const { return QStringLiteral("%1x%2").arg(count).arg(slotCount); }
    };

    std::vector<Workers> workers; // one measurement each
    int percent = 95; // of their slots that are in use on average
    std::chrono::milliseconds jobDuration{100};
    std::chrono::seconds length{20};
};

// Jobs come at random, at the same instants whoever runs them, and wait for nothing (an open loop with Poisson
// arrivals). From the instant at which a job was due to be submitted to its process's start, in milliseconds by the
// clock of this machine. The first tenth is not counted. Throws std::runtime_error if a job fails.
async::Task<Distribution> measureUnderLoad(BenchCluster &cluster, LoadBenchOptions options,
                                           LoadBenchOptions::Workers workers);

// The figures of all, and how the first compares with the last.
Figures underLoad(const LoadBenchOptions &options, const std::vector<Distribution> &starts);

} // namespace drover::app
