#pragma once

#include "jobs/job_lookup.h"
#include "jobs/reason.h"

namespace drover::jobs {

// Parts of explain(): see there for what they throw.

// Of a job that a worker has claimed and that waits there: for a lock or a limit, and who holds it; or for room.
async::Task<Reason> whyHolding(zk::Coordinator &zk, Layout layout, JobView job);

// That as many jobs of the queue as it allows have begun, and which, if it is so.
async::Task<std::optional<Reason>> whyQueueIsFull(zk::Coordinator &zk, Layout layout, QByteArray queue);

} // namespace drover::jobs
