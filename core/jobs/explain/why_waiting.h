#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/explain/explanation.h"

namespace drover::jobs {

// Parts of explain(), which lists their exceptions.

// Why a claimed job waits at its worker: for a lock or a limit, and which job holds it; or for room.
async::Task<Reason> whyWaitsAtWorker(Cluster cluster, JobView job);

// Names the jobs that use up the queue's limit of running jobs; nothing if there is room.
async::Task<std::optional<Reason>> whyQueueIsFull(Cluster cluster, QByteArray queue);

} // namespace drover::jobs
