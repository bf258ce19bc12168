#pragma once

#include "app/environment/context.h"
#include "jobs/client/job_lookup.h"

namespace drover::app {

// The job with the dependencies that it is submitted with. A tag becomes a dependency on each job that has it,
// unfinished or ended, as `drover wait --tag` means it. Numbers of a range that are not jobs, in the cluster or in its
// history, are left out: a move may have used one up.
//
// Throws NotFound if a job that was named by its id does not exist, or no job of a range or with a tag does. Throws
// UsageError if more than 1,000 jobs have a tag, and CommandError if the history fails while it looks for them.
async::Task<jobs::JobSpec> withDependencies(Context &context, jobs::Cluster cluster, jobs::JobSpec spec);

} // namespace drover::app
