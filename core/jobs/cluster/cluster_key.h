#pragma once

#include "jobs/model/cluster.h"

#include <optional>

namespace drover::jobs {

// The secret with which processes of a cluster authenticate each other without ZooKeeper: 32 random bytes in a node.
// Every client that may read the cluster's znodes has it, so it protects as much as their ACLs do. It is created once
// and never changes. If it is deleted, the next worker that starts creates another, and running workers refuse clients
// with the new key until they restart.
//
// Creates the key if it is missing. Safe to repeat, and to run in several processes at once: the first create counts.
// Throws SessionLost.
async::Task<void> ensureClusterKey(Cluster cluster);

// Returns nothing if the node is missing or its data is not a key. Throws SessionLost.
async::Task<std::optional<QByteArray>> clusterKey(Cluster cluster);

} // namespace drover::jobs
