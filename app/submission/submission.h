#pragma once

#include "app/cli/failure.h"
#include "app/environment/context.h"
#include "jobs/client/submitter.h"
#include "jobs/model/job_spec.h"

namespace drover::app {

class JobFile;

// An option for each of jobFields().
QList<QCommandLineOption> jobOptions();

// The options of a resubmit: an option that is left out means the old job's value, so no default is named.
QList<QCommandLineOption> resubmitOptions();

// The options by which `submit`, `run` and `cron add` describe a job: --file, and jobOptions().
QList<QCommandLineOption> submissionOptions();

// A copy of `job`, with this user and the present time, changed by jobOptions(). Throws UsageError.
jobs::JobSpec resubmitted(jobs::JobSpec job, const Arguments &arguments);

// Ignores SIGPIPE, so that a closed standard output is a write error and the id can still be printed on standard error.
void outliveReaders();

// Reads the job's description from --file (-: standard input), from the options, which override the file, and from the
// arguments: the command begins at argument `first`. Throws UsageError.
async::Task<jobs::JobSpec> readSpec(Arguments arguments, qsizetype first = 0);

// --wait-for-room, for jobs::Submitter: the command reports the first time that it waits.
QCommandLineOption waitForRoomOption();
jobs::Submitter::OnFull whenFull(const Context &context);

// Submits the job. If the id was lost with the reply and the job has ended meanwhile, it looks for the id in the
// history. Throws the errors of Submitter::submit().
async::Task<jobs::JobId> submitNamed(Context &context, jobs::Submitter &submitter, jobs::JobSpec job);

// Submits the only job of a command. If ZooKeeper is lost, it throws CommandError (Unreachable). The message says
// whether the job was submitted, was not, or may have been, and how to find out.
async::Task<jobs::JobId> submitJob(Context &context, jobs::Submitter &submitter, jobs::JobSpec job);

// The error when the session ends while the command waits for a submitted job. `goOn` is the command that waits again.
CommandError lostWhileWaiting(const jobs::JobId &id, const QString &goOn, const zk::SessionLost &error);

// The command that shows whether such a job was submitted.
QString howToFind(const jobs::JobSpec &spec);

// Prints the id of the submitted job; on standard error if standard output cannot be written.
void printSubmitted(const Context &context, const jobs::JobId &id);

// Like readSpec(), with `file` instead of --file.
jobs::JobSpec specFrom(const Arguments &arguments, const JobFile &file, qsizetype first = 0);

// A job of these fields, with the members of a gang. Throws UsageError if they do not go together.
jobs::JobSpec completed(jobs::JobSpec spec);

// Throws UsageError if the value of an option is not valid.
void requireValidOptions(const Arguments &arguments);

} // namespace drover::app
