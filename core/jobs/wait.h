#pragma once

#include "jobs/job_lookup.h"

namespace drover::jobs {

// Both wait with one watch on the job's node and no polling. Both throw NotFound, also when somebody deletes the job
// meanwhile, and SessionLost.

// Returns the final record once the job has ended. Throws Malformed if it cannot be read.
async::Task<FinalRecord> waitForEnd(zk::Coordinator &zk, Layout layout, JobId id);

// Returns when the job has been claimed or has ended.
async::Task<JobView> waitForStart(zk::Coordinator &zk, Layout layout, JobId id);

} // namespace drover::jobs
