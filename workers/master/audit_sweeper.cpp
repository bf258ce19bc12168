#include "workers/master/audit_sweeper.h"

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
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].ok())
            entries.emplace_back(nodes[i]->stat.czxid, paths[i]);
        else if (nodes[i].is(zk::Code::NoAuth)) // it proves nothing, so it goes first
            entries.emplace_back(0, paths[i]);
    }
    std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    const std::size_t excess = entries.size() - std::min<std::size_t>(entries.size(), MostEntries);
    for (std::size_t from = 0; from < excess; from += Together) {
        const std::span some = std::span(entries).subspan(from, std::min(Together, excess - from));
        const bool isDone = co_await remove(fence, some);
        for (std::size_t i = 0; !isDone && i < some.size(); ++i)
            co_await remove(fence, some.subspan(i, 1));
    }
}

// False: none, as one of them is gone, or its maker has put nodes below it.
async::Task<bool> AuditSweeper::remove(recipes::Fence fence, std::span<const Entry> entries)
{
    zk::Transaction transaction;
    fence.guard(transaction);
    for (const auto &[zxid, path] : entries)
        transaction.remove(path);
    const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
    co_return !refused;
}

} // namespace drover::workers
