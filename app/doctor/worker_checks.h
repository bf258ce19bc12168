#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"
#include "jobs/model/worker_info.h"

#include <QSet>

#include <vector>

namespace drover::app {

// The workers of a cluster, as their nodes describe them.
struct DescribedWorkers {
    std::vector<jobs::WorkerInfo> workers{};
    QSet<QString> queues{}; // that one of them serves
    QSet<QString> hosts{};
};

// Reads the workers, and adds what is wrong with single ones. `isForRootAlone`: they do not harm others if they run
// jobs as root. Throws SessionLost, ConnectionLoss and AccessDenied.
async::Task<DescribedWorkers> checkWorkers(jobs::Cluster cluster, bool isForRootAlone, Findings &findings);

// All of them together: how many there are, and of which versions.
Finding aboutWorkers(const DescribedWorkers &pool);

// Other machines read output from the worker's own address.
void checkEndpoints(const DescribedWorkers &pool, Findings &findings);

} // namespace drover::app
