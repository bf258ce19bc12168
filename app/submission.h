#pragma once

#include "app/arguments.h"
#include "jobs/job_spec.h"

namespace drover::app {

// The options by which `submit` and `run` describe a job.
QList<QCommandLineOption> submissionOptions();

// user@host, for people.
QString submitterName();

// The job that the options and the arguments (the command) describe. Of this process's environment it takes what a
// program needs to find its way (SubmittedVariables), never all: it is stored where others can read it. Throws
// UsageError.
jobs::JobSpec specFrom(const Arguments &arguments);

} // namespace drover::app
