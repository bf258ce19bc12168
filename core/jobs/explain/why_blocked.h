#pragma once

#include "jobs/explain/explanation.h"
#include "jobs/model/cluster.h"
#include "jobs/model/queue_entry.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// Why each of these jobs of a queue can be neither moved nor ended: another program has made znodes below its own.
// ZooKeeper deletes no znode that has children, so no worker begins such a job. The reasons are in the order of
// `entries`. There is none for a job without such znodes, or that has gone. It asks for one counter a job, all at once.
// Throws SessionLost and ConnectionLoss.
async::Task<std::vector<std::optional<Reason>>> whyBlocked(Cluster cluster, QByteArray queue,
                                                           std::vector<QueueEntry> entries);

// That one job with so many znodes below its own is blocked, in a few words for a list.
QString blockedText(qint32 nodesBelow);

} // namespace drover::jobs
