#pragma once

#include "app/context.h"
#include "app/job_selection.h"

namespace drover::app {

// Tells each job that the ranges and filters of a selection mean and that has ended: those of the cluster, then those
// of its history; one that is archived meanwhile twice. Of a state, if there is one. They are looked for after the
// unfinished ones, because jobs go from the queue to done/ and from there to the history: who looks in that order
// misses none. `since`: those alone that ended then or later, Unix epoch, their workers' clocks. A record that cannot
// be read is one of outcome Malformed. Throws SessionLost, ConnectionLoss; HistoryError, after those of the cluster.
async::Task<void> eachEnded(Context &context, zk::Coordinator &zk, JobSelection selection,
                            std::chrono::milliseconds since, std::optional<jobs::JobState> state,
                            std::function<void(const jobs::FinalRecord &)> take);

struct EndedJobs {
    std::map<jobs::JobId, jobs::FinalRecord> records;
    QString trouble; // one line, if the history did not answer: then some may be missing
};

// The same, gathered.
async::Task<EndedJobs> findEnded(Context &context, zk::Coordinator &zk, JobSelection selection,
                                 std::chrono::milliseconds since);

} // namespace drover::app
