#pragma once

#include "workers/claimed_job.h"
#include "workers/runner.h"

#include <optional>

namespace drover::workers {

// Translations between what the cluster calls a job and what Unix runs.

// Where the output of an attempt is kept: <spool>/<id>.<attempt>.out and .err.
QString outputFile(const QString &spool, const jobs::JobId &id, int attempt);
QString errorFile(const QString &spool, const jobs::JobId &id, int attempt);

// The claim of which a run was, as the note that is kept with its result; nothing if it is none. The spec is not in it.
QByteArray noteOf(const ClaimedJob &job);
std::optional<ClaimedJob> jobOfNote(const QByteArray &note);

// The job's environment is the spec's and `extra` ("NAME=value"), and DROVER_JOB_ID, DROVER_QUEUE, DROVER_ATTEMPT and
// DROVER_FENCE, a number that is greater for a later attempt; in the task of an array DROVER_ARRAY_ID, the array's,
// DROVER_ARRAY_INDEX, the task's, and DROVER_ARRAY_COUNT, how many tasks there are; and what comes with the locks and
// the place in a gang (GangPlace) that it holds.
Command commandOf(const ClaimedJob &job, const QString &spool, const QList<QByteArray> &extra);

jobs::FinalRecord recordOf(const ClaimedJob &job, const QString &worker, const Outcome &outcome);

} // namespace drover::workers
