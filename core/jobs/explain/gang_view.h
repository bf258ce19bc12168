#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/explain/explanation.h"
#include "jobs/model/gang.h"
#include "jobs/model/worker_info.h"

namespace drover::jobs {

// The progress of an unfinished gang, and why it cannot begin: "2 of 4 members have a place". `job` is a result of
// lookUp(); `workers` are the workers that may claim jobs. Throws SessionLost.
async::Task<std::vector<Reason>> aboutGang(Cluster cluster, JobView job, std::vector<WorkerInfo> workers);

// Why a gang cannot begin, even if all other jobs end, until workers are added, a cordon is lifted or a limit is
// raised. `workers` are the workers that may claim jobs. Waits out lost connections; throws SessionLost.
async::Task<std::optional<Reason>> whyGangNeverBegins(Cluster cluster, JobSpec spec, std::vector<WorkerInfo> workers);

} // namespace drover::jobs
