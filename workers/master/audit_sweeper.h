#pragma once

#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"

#include <span>

namespace drover::workers {

// The master's duty to bound the audit. When a thousand entries more than MostEntries are there, it removes the oldest
// ones, by ZooKeeper's order, until MostEntries are left:
//
//     once a minute: exists(audit), for the number of entries
//     too many: read their metadata; check(master) ; remove the oldest, a hundred in a transaction, or one by one
//
// An entry with nodes below it stays. Only a hostile client makes one, and keeps no other entry by it.
class AuditSweeper
{
public:
    static constexpr int MostEntries = 10'000;
    static constexpr int Slack = 1000; // so that they are listed rarely
    static constexpr std::chrono::minutes Interval{1};

    explicit AuditSweeper(jobs::Cluster cluster) : m_cluster(std::move(cluster)) { }

    // Throws Deposed, SessionLost, AccessDenied.
    async::Task<void> run(recipes::Fence fence);

private:
    using Entry = std::pair<zk::Zxid, zk::Path>;

    async::Task<void> removeOldest(recipes::Fence fence);
    async::Task<bool> remove(recipes::Fence fence, std::span<const Entry> entries);

    jobs::Cluster m_cluster;
};

} // namespace drover::workers
