#pragma once

#include "jobs/model/job_spec.h"

namespace drover::app {

// A job of a benchmark or demo, submitted now, with a PATH and nothing else in its environment.
jobs::JobSpec benchJob(const QStringList &command);

} // namespace drover::app
