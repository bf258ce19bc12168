#pragma once

#include "app/context.h"
#include "app/job_selection.h"

namespace drover::app {

// What the ranges and filters of a selection mean and has ended: of the cluster, and of its history.
struct EndedJobs {
    std::map<jobs::JobId, jobs::FinalRecord> records;
    QString trouble; // one line, if the history did not answer: then some may be missing
};

// Looked for after the unfinished ones, because jobs go from the queue to done/ and from there to the history: who
// looks in that order misses none. `since`: those alone that ended then or later, Unix epoch, their workers' clocks. A
// record that cannot be read is one of outcome Malformed. Throws SessionLost, ConnectionLoss.
async::Task<EndedJobs> findEnded(Context &context, zk::Coordinator &zk, JobSelection selection,
                                 std::chrono::milliseconds since);

} // namespace drover::app
