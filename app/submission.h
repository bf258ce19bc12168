#pragma once

#include "app/context.h"
#include "jobs/job_spec.h"

namespace drover::app {

// The options by which `submit` and `run` describe a job.
QList<QCommandLineOption> submissionOptions();

// The job that the options and the arguments (the command, from the argument `first` on) describe. Of this process's
// environment it takes what a program needs to find its way (SubmittedVariables), never all: it is stored where others
// can read it. Throws UsageError.
jobs::JobSpec specFrom(const Arguments &arguments, qsizetype first = 0);

// Says which job has been submitted.
void printSubmitted(const Context &context, const jobs::JobId &id);

} // namespace drover::app
