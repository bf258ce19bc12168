#pragma once

#include "app/context.h"
#include "jobs/submitter.h"

namespace drover::app {

class JobFile;

// An option for each of jobFields().
QList<QCommandLineOption> jobOptions();

// The options by which `submit`, `run` and `cron add` describe a job: --file, and jobOptions().
QList<QCommandLineOption> submissionOptions();

// `job` once more, of this user and now, with what jobOptions() change. Throws UsageError.
jobs::JobSpec resubmitted(jobs::JobSpec job, const Arguments &arguments);

// From now on a reader of ours that has gone is an error of the output, and does not end us with an id unsaid.
void outliveReaders();

// The job that --file (-: standard input), the options, which win over the file, and the arguments (the command, from the
// argument `first` on) describe. Throws UsageError.
async::Task<jobs::JobSpec> readSpec(Arguments arguments, qsizetype first = 0);

// For jobs::Submitter, as --wait-for-room says: tells the first time that it waits.
QCommandLineOption waitForRoomOption();
jobs::Submitter::OnFull whenFull(const Context &context);

// Says which job has been submitted; on standard error if standard output cannot be written.
void printSubmitted(const Context &context, const jobs::JobId &id);

// The same with `file` in the place of --file.
jobs::JobSpec specFrom(const Arguments &arguments, const JobFile &file, qsizetype first = 0);

// Throws UsageError if an option's value does not fit, whatever a file says.
void requireValidOptions(const Arguments &arguments);

} // namespace drover::app
