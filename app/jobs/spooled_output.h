#pragma once

#include "app/environment/context.h"
#include "app/jobs/job_streams.h"
#include "output/attempt_reader.h"

#include <exception>

namespace drover::app {

// The newest attempt of a job that has files in a spool.
struct SpooledAttempt {
    int number; // the one in the file names: the version of the claim
    QString file; // the attempt's file that was written last
};

// Nothing: the spool has no file of the job. Throws CommandError if the spool cannot be listed.
std::optional<SpooledAttempt> newestAttemptIn(const QString &spool, const jobs::JobId &id);

// Copies the output of the newest attempt of a job from a spool of this machine. It asks no ZooKeeper, so it does not
// know whether a later attempt has run elsewhere. A line on standard error says which file was read. Throws
// CommandError if the spool has no output of the job.
async::Task<void> copySpooled(Context &context, jobs::JobId id, output::Streams streams, JobStreams::Shown shown,
                              QString spool);

// Copies the output from the default spool, after `trouble` kept the command from asking ZooKeeper. Throws CommandError
// (Unreachable) if the spool has no output of the job: another machine may have it.
async::Task<void> copySpooledWithoutCluster(Context &context, jobs::JobId id, output::Streams streams,
                                            JobStreams::Shown shown, std::exception_ptr trouble);

} // namespace drover::app
