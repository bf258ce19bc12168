#pragma once

#include "app/doctor/finding.h"
#include "jobs/model/cluster.h"

#include <QSet>

namespace drover::app {

// Finds queues that this session may not read, and queues that are `served` by workers and are not among `queues`.
// Returns those of `queues` that it may read. Throws SessionLost and ConnectionLoss.
async::Task<QByteArrayList> findShutQueues(jobs::Cluster cluster, QByteArrayList queues, QSet<QString> served,
                                           Findings &findings);

// Finds jobs that no present worker can ever run. Also finds gangs that can never start: they have more members than
// all workers have slots, or than a limit has permits. Lists each queue and reads its first 64 ready jobs and 64
// arrays. Leaves out queues that no worker serves. Throws SessionLost and ConnectionLoss.
async::Task<void> findStuckJobs(jobs::Cluster cluster, QByteArrayList queues, Findings &findings);

// Finds jobs that can be neither moved nor ended, because another program has made znodes below theirs. Finds also jobs
// that workers may not claim by the ACLs of their znodes. Lists each queue and looks at its 256 oldest unfinished jobs:
// what workers leave alone becomes the oldest. Throws SessionLost and ConnectionLoss.
async::Task<void> findBlockedJobs(jobs::Cluster cluster, QByteArrayList queues, Findings &findings);

} // namespace drover::app
