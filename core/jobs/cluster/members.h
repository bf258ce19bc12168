#pragma once

#include "jobs/model/claim.h"
#include "jobs/model/cluster.h"
#include "jobs/model/worker_info.h"
#include "zk/server_clock.h"

#include <set>

namespace drover::jobs {

// The workers of a cluster, and their claims. Each list takes two round trips and one flight for every 64 nodes. Nodes
// that are created or deleted meanwhile may be missing. Both functions wait out lost connections and throw SessionLost.

struct StoredMember {
    QByteArray id; // the node's name
    std::optional<WorkerInfo> info;
    QString malformed; // why `info` is missing: another program has joined
    zk::Stat stat;
};

// Lists the workers by id.
async::Task<std::vector<StoredMember>> readMembers(Cluster cluster);

struct StoredClaim {
    JobId id;
    Claim claim;
    zk::Stat stat;

    bool runs() const { return claim.state() == JobState::Running; } // false: no slot yet
};

// Lists the claims by job. Malformed claims are left out.
async::Task<std::vector<StoredClaim>> readClaims(Cluster cluster);

// The jobs that run, by their claims, and the arrays of which a task runs.
std::set<JobId> runningJobs(const std::vector<StoredClaim> &claims);

// Measures this worker's clock by a write to its own node, which it leaves as it is. Nothing is measured if the node is
// not there or may not be written. Waits out lost connections; throws SessionLost.
async::Task<void> measureClock(Cluster cluster, QByteArray worker, zk::ServerClock &clock);

} // namespace drover::jobs
