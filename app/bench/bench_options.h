#pragma once

#include "app/bench/figures/figures.h"
#include "app/bench/setup/bench_cluster.h"
#include "app/cli/arguments.h"
#include "app/environment/context.h"

#include <chrono>

namespace drover::app {

// The options that the benchmarks' commands share.
QCommandLineOption openOption(); // --open, for runOnCluster()
QCommandLineOption forOption(const char *description); // --for
// How long to measure: what --for says, from a second to an hour, or `byDefault`.
std::chrono::milliseconds measuredTime(const Arguments &arguments, std::chrono::milliseconds byDefault);

// The servers of --connect and the time of --connect-timeout. Without --connect a private server is used, so an
// environment variable or a file never makes a benchmark use the user's cluster.
GivenServers benchServers(const Context &context);

void print(const Context &context, const Figures &figures);

// Measures on a new cluster, as BenchCluster::run() does, and prints the figures. `open`: without credentials and ACLs.
using MeasureCluster = std::function<async::Task<Figures>(BenchCluster &)>;
async::Task<int> runOnCluster(Context &context, qint64 jobs, int slotCount, MeasureCluster measure, bool open = false);

} // namespace drover::app
