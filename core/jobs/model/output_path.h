#pragma once

#include "jobs/model/job_id.h"

#include <QString>

namespace drover::jobs {

// Paths for copies of a job's output, with patterns as in Slurm. %j is the job's id, %a its index in the array, %n its
// name, %% a percent sign.

// Why `path` is not valid; empty if it is.
QString objectionTo(const QString &path);

// Whether the tasks of an array get different paths.
bool isPerTask(const QString &path);
// Whether it has a pattern that only a task of an array can fill.
bool needsArray(const QString &path);

// The path for this job. Slashes and the first dot of the name become underscores, so that the name never changes the
// directory.
QString expanded(const QString &path, const JobId &id, const QString &name);

} // namespace drover::jobs
