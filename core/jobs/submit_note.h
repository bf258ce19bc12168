#pragma once

#include "jobs/job_spec.h"

namespace drover::jobs {

// user@host of this process, for people.
QString submitterName();

// Who submits it, and that it is now: for display alone.
void noteSubmit(JobSpec &spec);

} // namespace drover::jobs
