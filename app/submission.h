#pragma once

#include "app/context.h"
#include "jobs/job_spec.h"

namespace drover::app {

class JobFile;

// The options by which `submit`, `run` and `cron add` describe a job: --file, and one for each of jobFields().
QList<QCommandLineOption> submissionOptions();

// The job that --file, the options, which win over the file, and the arguments (the command, from the argument `first`
// on) describe. Throws UsageError.
jobs::JobSpec specFrom(const Arguments &arguments, qsizetype first = 0);

// From now on a reader of ours that has gone is an error of the output, and does not end us with an id unsaid.
void outliveReaders();

// The same; "--file -" is standard input.
async::Task<jobs::JobSpec> readSpec(Arguments arguments, qsizetype first = 0);

// Says which job has been submitted; on standard error if standard output cannot be written.
void printSubmitted(const Context &context, const jobs::JobId &id);

// The same with `file` in the place of --file.
jobs::JobSpec specFrom(const Arguments &arguments, const JobFile &file, qsizetype first = 0);

// Throws UsageError if an option's value does not fit, whatever a file says.
void requireValidOptions(const Arguments &arguments);

} // namespace drover::app
