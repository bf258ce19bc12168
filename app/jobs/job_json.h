#pragma once

#include "app/cli/output.h"
#include "jobs/client/job_lookup.h"

namespace drover::app {

// A job as the commands print it. Ids are strings, times RFC 3339, measured durations milliseconds. What was submitted
// has the names and the form of job files.
QJsonObject jobJson(const jobs::JobView &job);

// All data about a job for programs, with the end of its output.
QJsonObject wholeJobJson(const jobs::JobView &job);

extern const QList<Column> JobListColumns;
extern const QList<Column> JobColumns;

// The id that the user typed. Throws UsageError.
jobs::JobId parseJobId(const QString &text);

} // namespace drover::app
