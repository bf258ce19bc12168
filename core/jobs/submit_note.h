#pragma once

#include "jobs/job_spec.h"

namespace drover::jobs {

// user@host of this process, for people. The first call asks the system who that is, which may block for as long as a
// directory service does: not on a session's thread.
QString submitterName();

// Who submits it, as above, and that it is now: for display alone.
void noteSubmit(JobSpec &spec);

} // namespace drover::jobs
