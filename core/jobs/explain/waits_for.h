#pragma once

#include "jobs/client/job_lookup.h"

namespace drover::jobs {

// What each of these jobs waits for, in their order: one line, or an empty string. It is empty for a job that runs, has
// ended, or waits at its worker (Claim::waits). A blocked job is said to be so. It is a reason of explain(), as far as
// a few reads for all of the jobs tell it. Neither the master nor a pause of all claims is asked about. It reads the
// workers, the claims, the memory that claimed jobs take and the settings of the queues once. It reads anything more
// for at most 50 kinds of job, and looks up at most 20 of the jobs that others wait for. `jobs` must outlive the task.
// It waits out lost connections; throws SessionLost, and AccessDenied if it may not read workers or claims.
async::Task<QStringList> waitsFor(Cluster cluster, const std::vector<JobView> &jobs);

} // namespace drover::jobs
