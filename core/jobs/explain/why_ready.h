#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/explain/explanation.h"

namespace drover::jobs {

// Parts of explain(), which lists their exceptions.

Reason whyPaused(const QByteArray &queue, const QueueSettings &settings);

// Of a job whose worker was lost before it had carried out a cancellation.
Reason whyNotCancelledYet();

// For a job without a claim: says that only a newer drover can read it.
std::optional<Reason> whyTooNew(const JobView &job);

// Why a job without a claim has not started: its queue, the workers, their free room, the jobs ahead of it. The first
// reason is the decisive one now. Never empty.
async::Task<std::vector<Reason>> whyReady(Cluster cluster, JobView job);

} // namespace drover::jobs
