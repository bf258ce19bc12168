#pragma once

#include "jobs/job_spec.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <QSet>

namespace drover::app {

// Submits the same job `count` times through one session, as many at a time as keeps the connection busy. Throws what
// jobs::Submitter::submit() throws; some are submitted then.
async::Task<QSet<jobs::JobId>> submitMany(zk::Coordinator &zk, jobs::Layout layout, jobs::JobSpec spec, qint64 count);

} // namespace drover::app
