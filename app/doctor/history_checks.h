#pragma once

#include "app/doctor/worker_checks.h"
#include "jobs/model/cluster_stats.h"

namespace drover::app {

// Warns if no worker keeps a history, if only some do, and if their histories are in different places.
void checkHistoryPlaces(const DescribedWorkers &pool, Findings &findings);

// Finds trouble of the master with archiving: errors of the history, and records that wait to be archived.
void checkArchive(const jobs::ClusterStats::Archive &archive, Findings &findings);

} // namespace drover::app
