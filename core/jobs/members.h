#pragma once

#include "jobs/layout.h"
#include "jobs/records.h"
#include "zk/coordinator.h"

namespace drover::jobs {

// The workers of a cluster, and what they have claimed. Both are read in two round trips and a flight for each 64 of
// them; what comes or goes meanwhile may be missing. Both wait out lost connections and throw SessionLost.

struct Member {
    QByteArray id; // the node's name
    std::optional<WorkerInfo> info;
    QString malformed; // why there is none: some other program has joined
    zk::Stat stat;
};

// By id.
async::Task<std::vector<Member>> readMembers(zk::Coordinator &zk, Layout layout);

struct StoredClaim {
    JobId id;
    Claim claim;
    zk::Stat stat;

    bool runs() const { return claimedState(claim) == JobState::Running; } // otherwise it has no slot yet
};

// By job; those that nobody can read are nobody's, and left out.
async::Task<std::vector<StoredClaim>> readClaims(zk::Coordinator &zk, Layout layout);

} // namespace drover::jobs
