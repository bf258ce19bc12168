#pragma once

#include "app/context.h"
#include "app/job_selection.h"
#include "jobs/control.h"

namespace drover::app {

// What a command does to each of many jobs.
struct JobVerb {
    const char *participle; // "held", for messages
    JobSelection::Arrays arrays;
    // The row that tells what has become of it; throws WrongState, NotFound.
    std::function<async::Task<QJsonObject>(zk::Coordinator &zk, jobs::JobId id)> act;
    // To those of these tasks that their array is still to make: to how many it was done. Null: nothing is.
    std::function<async::Task<qint32>(zk::Coordinator &zk, jobs::JobRange tasks)> actBeforehand{};
};

// Does it to all that the arguments choose, many at once, and prints a row for each. A job that is named by its id and
// cannot be acted on is told on standard error; one that a range or a filter has found is left as it is.
//
// The exit code: 0 if all that were named are done; 3 if there are none, 4 if one was in the wrong state, or none of
// those found could be acted on.
async::Task<int> actOnJobs(Context &context, QStringList ids, JobVerb verb);
// The same of a command that has a session already: Context::openCluster() ends the one before.
async::Task<int> actOnJobs(Context &context, zk::Coordinator &zk, JobSelection selection, JobVerb verb);

// {id, from, result}; `result` is the new state unless given.
QJsonObject changeRow(const jobs::JobId &id, const jobs::Change &change, const QString &result = {});

} // namespace drover::app
