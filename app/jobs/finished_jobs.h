#pragma once

#include "app/environment/context.h"
#include "app/jobs/job_selection.h"
#include "jobs/model/final_record.h"

namespace drover::app {

// Reports each ended job that matches the ranges and filters of a selection: first the jobs in the cluster, then those
// in its history. A job that is archived meanwhile is reported twice. Call it after reading the unfinished jobs. Jobs
// move from the queue to done/ and then to the history, so reading in this order misses none. With `state` it reports
// only jobs in that state. With `since` (Unix epoch, the workers' clocks) only jobs that ended then or later. An
// unreadable record has the outcome Malformed. Throws SessionLost and ConnectionLoss; HistoryError after the jobs in
// the cluster.
async::Task<void> eachFinished(Context &context, jobs::Cluster cluster, JobSelection selection,
                               std::chrono::milliseconds since, std::optional<jobs::JobState> state,
                               std::function<void(const jobs::FinalRecord &)> take);

struct FinishedJobs {
    std::map<jobs::JobId, jobs::FinalRecord> records;
    QString trouble; // set: the history failed, and jobs may be missing
};

// Collects the results of eachFinished().
async::Task<FinishedJobs> findFinished(Context &context, jobs::Cluster cluster, JobSelection selection,
                                       std::chrono::milliseconds since);

} // namespace drover::app
