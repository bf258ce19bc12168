#pragma once

#include "app/cli/arguments.h"
#include "jobs/client/job_filter.h"

namespace drover::app {

// The options that filter jobs by their name, a tag and their submitter, and what the user has given of them.
QList<QCommandLineOption> filterOptions();
jobs::JobFilter jobFilterFrom(const Arguments &arguments);

} // namespace drover::app
