#pragma once

#include "jobs/gang.h"
#include "jobs/job_lookup.h"
#include "jobs/reason.h"

namespace drover::jobs {

// How far an unfinished gang is, and what keeps it from beginning: "2 of 4 members have a place". `job` is from
// lookUp(), `workers` are those that may claim jobs. Throws SessionLost.
async::Task<std::vector<Reason>> aboutGang(zk::Coordinator &zk, Layout layout, JobView job,
                                           std::vector<WorkerInfo> workers);

// Why a gang cannot begin, whatever else ends, before somebody adds workers, lifts a cordon or raises a limit. `workers`
// are those that may claim jobs. Waits out lost connections; throws SessionLost.
async::Task<std::optional<Reason>> whyGangNeverBegins(zk::Coordinator &zk, Layout layout, JobSpec spec,
                                                      std::vector<WorkerInfo> workers);

} // namespace drover::jobs
