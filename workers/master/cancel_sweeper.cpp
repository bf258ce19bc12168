#include "workers/master/cancel_sweeper.h"

#include "async/first_of.h"
#include "jobs/client/cancel_job.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/follow.h"
#include "workers/master/base/master_commit.h"

namespace drover::workers {

using zk::Answer;

async::Task<void> CancelSweeper::run(recipes::Fence fence)
{
    co_await async::firstOf(m_cluster.zk.loop(), follow(), sweepAll(std::move(fence)));
}

async::Task<void> CancelSweeper::follow()
{
    const auto onChange = [this](const zk::Children &notes) {
        m_noted = notes.names;
        m_changed.set();
    };
    co_await recipes::followChildren(m_cluster.zk, jobs::cancelNotes(m_cluster.layout), onChange);
}

async::Task<void> CancelSweeper::sweepAll(recipes::Fence fence)
{
    for (;;) {
        if (m_noted.isEmpty())
            co_await m_changed.wait();
        m_changed.reset();
        co_await sweep(m_noted, fence);
        co_await async::sleepFor(m_cluster.zk.loop(), Interval);
    }
}

async::Task<void> CancelSweeper::sweep(QByteArrayList names, recipes::Fence fence)
{
    std::vector<zk::Path> claims;
    for (const QByteArray &name : names)
        claims.push_back(m_cluster.layout.claims() / name);
    const std::vector<Answer<zk::Node>> claimed = co_await jobs::readNodes(m_cluster.zk, std::move(claims));
    for (std::size_t i = 0; i < claimed.size(); ++i) {
        if (!claimed[i].is(zk::Code::NoNode))
            continue;
        const QByteArray name = names[static_cast<qsizetype>(i)];
        if (const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name)))
            co_await jobs::cancelIfThere(m_cluster, *id);
        zk::Transaction transaction;
        fence.guard(transaction);
        transaction.remove(jobs::cancelNotes(m_cluster.layout) / name);
        co_await commitAsMaster(m_cluster.zk, std::move(transaction)); // refused if it is gone already
    }
}

} // namespace drover::workers
