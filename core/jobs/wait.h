#pragma once

#include "jobs/job_lookup.h"

namespace drover::jobs {

// Returns the final record once the job has ended; one watch, no polling. Throws NotFound, Malformed, SessionLost.
async::Task<FinalRecord> waitForEnd(zk::Coordinator &zk, Layout layout, JobId id);

// Returns when the job has been claimed or has ended.
async::Task<JobView> waitForStart(zk::Coordinator &zk, Layout layout, JobId id);

} // namespace drover::jobs
