#pragma once

#include "app/output.h"
#include "jobs/job_lookup.h"

namespace drover::app {

// A job as the commands print it. Ids are strings, times RFC 3339, durations milliseconds.
QJsonObject jobJson(const jobs::JobView &job);

// All that is known of a job, for programs: with the end of its output.
QJsonObject wholeJobJson(const jobs::JobView &job);

extern const QList<Column> JobListColumns;
extern const QList<Column> JobColumns;

// The id that the user typed. Throws UsageError.
jobs::JobId parseJobId(const QString &text);

} // namespace drover::app
