#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/job_spec.h"

#include <QSet>

namespace drover::app {

// Submits a job `count` times through one session, with enough at a time to keep the connection busy. Throws the errors
// of jobs::Submitter::submit(); some jobs may be submitted then.
async::Task<QSet<jobs::JobId>> submitMany(jobs::Cluster cluster, jobs::JobSpec spec, qint64 count);

} // namespace drover::app
