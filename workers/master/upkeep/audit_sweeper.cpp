#include "workers/master/upkeep/audit_sweeper.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"

#include <algorithm>

namespace drover::workers {

using recipes::Persistent;
using zk::Answer;

namespace {

constexpr std::size_t Together = 100; // removed in one transaction

} // namespace

async::Task<void> AuditSweeper::run(recipes::Fence fence)
{
    for (;;) {
        co_await async::sleepFor(m_cluster.zk.loop(), Interval);
        const Answer<zk::Stat> directory = co_await Persistent(m_cluster.zk).exists(m_cluster.layout.audit());
        if (directory.ok() && directory->numChildren > MostEntries + Slack)
            co_await removeOldest(fence);
    }
}

async::Task<void> AuditSweeper::removeOldest(recipes::Fence fence)
{
    const Answer<zk::Children> names = co_await Persistent(m_cluster.zk).children(m_cluster.layout.audit());
    std::vector<zk::Path> paths;
    for (const QByteArray &name : names->names)
        paths.push_back(m_cluster.layout.audit() / name);
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, paths);
    std::vector<std::pair<zk::Zxid, zk::Path>> entries;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].ok())
            entries.emplace_back(nodes[i]->stat.czxid, paths[i]);
    }
    std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    const std::size_t excess = entries.size() - std::min<std::size_t>(entries.size(), MostEntries);
    for (std::size_t from = 0; from < excess; from += Together) {
        zk::Transaction transaction;
        fence.guard(transaction);
        for (std::size_t i = from; i < std::min(excess, from + Together); ++i)
            transaction.remove(entries[i].second);
        co_await commitAsMaster(m_cluster.zk, std::move(transaction)); // refused if one is gone: again in a minute
    }
}

} // namespace drover::workers
