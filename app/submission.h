#pragma once

#include "app/arguments.h"
#include "jobs/job_spec.h"

namespace drover::app {

class JobFile;

// The options by which `submit`, `run` and `cron add` describe a job: --file, and one for each of jobFields().
QList<QCommandLineOption> submissionOptions();

// The job that --file, the options, which win over the file, and the arguments (the command) describe. Throws
// UsageError.
jobs::JobSpec specFrom(const Arguments &arguments);

// The same with `file` in the place of --file.
jobs::JobSpec specFrom(const Arguments &arguments, const JobFile &file);

// Throws UsageError if an option's value does not fit, whatever a file says.
void requireValidOptions(const Arguments &arguments);

} // namespace drover::app
