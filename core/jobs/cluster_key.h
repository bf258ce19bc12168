#pragma once

#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <optional>

namespace drover::jobs {

// A secret of the cluster's processes, by which they know each other where they speak without ZooKeeper: 32 random
// bytes in a node of the cluster. Whoever may read the cluster's znodes has it, and nobody else; so it protects as much
// as they do. It is made once and never changes: when it is deleted, workers that start make another, and the others
// are not understood until they have started again.
//
// Makes it if it is missing. Safe to repeat and to run at the same time anywhere: the first create counts. Throws
// SessionLost.
async::Task<void> ensureClusterKey(zk::Coordinator &zk, Layout layout);

// Nothing if there is none, or what is there is none. Throws SessionLost.
async::Task<std::optional<QByteArray>> clusterKey(zk::Coordinator &zk, Layout layout);

} // namespace drover::jobs
