#pragma once

#include "jobs/client/job_lookup.h"

namespace drover::jobs {

// Both functions wait with one watch, on the job's node or on that of its array, without polling. Both throw
// SessionLost, and NotFound, also if the job is deleted meanwhile.

// Returns the final record once the job has ended; a task may be one that its array is still to make. A task that was
// cancelled before it was made has ended, as its array says (unmade_tasks.h). Throws Malformed if the record cannot be
// read.
async::Task<FinalRecord> waitForEnd(Cluster cluster, JobId id);

// Returns when the job has been claimed or has ended.
async::Task<JobView> waitForStart(Cluster cluster, JobId id);

} // namespace drover::jobs
