#pragma once

#include "app/bench/figures/figures.h"

#include <QStringList>

namespace drover::app {

// The measurements of the console. Each starts a private ZooKeeper, opens the window, and returns what it measured;
// the last figures are always these:
//
//     longest_stall_ms    the longest time in which the window did not handle events
//     rss_mb              resident memory of this process at the end, MiB
QStringList consoleBenches();

// `scale`: the share of the nodes, jobs and seconds of the measurement, up to 1. Throws UsageError for a name that is
// not one of them, std::runtime_error if something takes minutes.
Figures runConsoleBench(const QString &name, double scale);

} // namespace drover::app
