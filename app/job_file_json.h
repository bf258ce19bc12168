#pragma once

#include "jobs/job_spec.h"

#include <QJsonObject>

namespace drover::app {

// A job as a job file in JSON says it: JobFile reads the same job out of it. Times are those that the options came to,
// paths absolute.
QJsonObject jobFileJson(const jobs::JobSpec &spec);

} // namespace drover::app
