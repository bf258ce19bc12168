#pragma once

#include "app/doctor/worker_checks.h"
#include "jobs/model/cluster_stats.h"

namespace drover::app {

// Whether the workers keep one history, and in one place.
void checkHistoryPlaces(const WorkerPool &pool, Findings &findings);

// How the master gets on with what it archives.
void checkArchive(const jobs::ClusterStats::Archive &archive, Findings &findings);

} // namespace drover::app
