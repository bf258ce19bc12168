#pragma once

#include "jobs/gang.h"
#include "jobs/job_lookup.h"

namespace drover::jobs {

// How far an unfinished gang is, one line for each thing there is to say: "2 of 4 members have a place". `job` is from
// lookUp(), `workers` are the cluster's. Throws SessionLost.
async::Task<QStringList> aboutGang(zk::Coordinator &zk, Layout layout, JobView job, std::vector<WorkerInfo> workers);

} // namespace drover::jobs
