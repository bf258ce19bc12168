#pragma once

#include "app/context.h"
#include "app/failure.h"
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

// Submits it. If the id was lost with the reply, and the job has gone meanwhile, the history tells it. Throws what
// Submitter::submit() throws.
async::Task<jobs::JobId> submitNamed(Context &context, jobs::Submitter &submitter, jobs::JobSpec spec);

// The same for the one job of a command: if ZooKeeper is lost, throws CommandError (Unreachable), which says whether the
// job was submitted, was not, or may have been, and what to look at then.
async::Task<jobs::JobId> submitJob(Context &context, jobs::Submitter &submitter, jobs::JobSpec spec);

// The session has ended while the command waited for a job that it had submitted: `goOn` waits for it again.
CommandError lostWhileWaiting(const jobs::JobId &id, const QString &goOn, const zk::SessionLost &error);

// What shows whether such a job was submitted.
QString howToFind(const jobs::JobSpec &spec);

// Says which job has been submitted; on standard error if standard output cannot be written.
void printSubmitted(const Context &context, const jobs::JobId &id);

// The same with `file` in the place of --file.
jobs::JobSpec specFrom(const Arguments &arguments, const JobFile &file, qsizetype first = 0);

// Throws UsageError if an option's value does not fit, whatever a file says.
void requireValidOptions(const Arguments &arguments);

} // namespace drover::app
