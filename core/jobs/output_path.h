#pragma once

#include "jobs/job_id.h"

#include <QString>

namespace drover::jobs {

// Where a job's output goes as well, with patterns as in Slurm: %j the job's id, %a its index in the array, %n its
// name,
// %% a percent sign.

// Why `path` is no such path; empty: it is one.
QString objectionTo(const QString &path);

// Whether the tasks of an array have different ones.
bool isPerTask(const QString &path);
// Whether it means anything without an array.
bool needsArray(const QString &path);

// What it is for this job. A name's slashes, and its first dot, become underscores: it never leaves its place.
QString expanded(const QString &path, const JobId &id, const QString &name);

} // namespace drover::jobs
