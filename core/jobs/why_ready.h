#pragma once

#include "jobs/crew.h"
#include "jobs/job_lookup.h"
#include "jobs/queue_settings.h"

namespace drover::jobs {

// Parts of explain(): see there for what they throw.

Reason whyPaused(const QByteArray &queue, const QueueSettings &settings);

// What keeps a job that nobody has claimed: its queue, the workers, the room that they have, who is before it. The
// first matters now. Never empty.
async::Task<std::vector<Reason>> whyReady(zk::Coordinator &zk, Layout layout, JobView job);

} // namespace drover::jobs
