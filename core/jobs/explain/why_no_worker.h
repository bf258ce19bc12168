#pragma once

#include "jobs/cluster/worker_pool.h"
#include "jobs/explain/explanation.h"

namespace drover::jobs {

// Why no worker of the pool can ever run such a job: its queue, its labels, its slots, its memory.
std::optional<Reason> whyUnfit(const WorkerPool &pool, const JobSpec &spec);
// Why no worker can run such a job now: the reasons of whyUnfit(), or all fit workers are cordoned or on failing
// machines.
std::optional<Reason> whyNoWorker(const WorkerPool &pool, const JobSpec &spec);

} // namespace drover::jobs
