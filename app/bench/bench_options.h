#pragma once

#include "app/arguments.h"
#include "app/bench/bench_cluster.h"
#include "app/bench/figures.h"
#include "app/context.h"

namespace drover::app {

// What the benchmarks' commands have in common.
QCommandLineOption jsonOption();

// The servers of --connect; empty, for a private one, without it: a benchmark never lands on the user's cluster because
// of an environment variable or a file.
QString benchServers(const Context &context);

// A name for what this process makes on a server that others use, too.
QByteArray scratchName();

void print(const Context &context, const Figures &figures);

// Measures on a cluster of its own, as BenchCluster::run() does, and prints the figures.
using MeasureCluster = std::function<async::Task<Figures>(BenchCluster &)>;
async::Task<int> runOnCluster(Context &context, qint64 jobs, int slotCount, MeasureCluster measure);

} // namespace drover::app
