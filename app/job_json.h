#pragma once

#include "app/output.h"
#include "jobs/job_lookup.h"

namespace drover::app {

// What a job is to whoever looks.
inline jobs::JobState shownState(const jobs::JobView &job)
{
    return job.state == jobs::JobState::Running && job.claim ? jobs::claimedState(*job.claim) : job.state;
}

// A job as the commands print it. Ids are strings, times RFC 3339, durations milliseconds.
QJsonObject jobJson(const jobs::JobView &job);

extern const QList<Column> JobListColumns;
extern const QList<Column> JobColumns;

// The id that the user typed. Throws UsageError.
jobs::JobId parseJobId(const QString &text);

} // namespace drover::app
