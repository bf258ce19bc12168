#pragma once

#include "jobs/model/claim.h"
#include "jobs/model/cluster.h"
#include "jobs/model/job_state.h"
#include "jobs/model/queue_entry.h"

#include <functional>
#include <optional>
#include <vector>

namespace drover::jobs {

// An unfinished job, as the lists of queues and claims show it.
struct ListedJob {
    JobId id;
    QueueEntry entry;
    bool claimed = false;
    JobState state{}; // running if it is claimed, until readClaimsOf() has asked its claim
    std::optional<Claim> claim{}; // from readClaimsOf()
};

// The unfinished jobs of these queues, by queue and number, each once. A queue that is missing has none. Waits out lost
// connections. Throws SessionLost.
async::Task<std::vector<ListedJob>> listUnfinished(Cluster cluster, QByteArrayList queues);

// Reads the claims of these jobs. A job that waits at its worker does not run. One whose claim is gone or malformed
// stays running. Waits out lost connections. Throws SessionLost.
async::Task<void> readClaimsOf(Cluster cluster, std::vector<ListedJob> &listed);

// Reads the nodes of these jobs, in their order, and keeps a flight of them at a time. A job that has ended meanwhile
// has none. Waits out lost connections. Throws SessionLost.
async::Task<void> readListed(Cluster cluster, std::vector<ListedJob> listed,
                             std::function<void(const ListedJob &, const zk::Answer<zk::Node> &)> got);

} // namespace drover::jobs
