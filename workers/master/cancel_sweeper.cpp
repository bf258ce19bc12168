#include "workers/master/cancel_sweeper.h"

#include "async/first_of.h"
#include "jobs/client/cancel_job.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/follow.h"
#include "workers/master/base/master_commit.h"

namespace drover::workers {

using jobs::JobId;
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
        const QByteArrayList noted = m_noted;
        m_changed.reset();
        co_await sweep(noted, fence);
        if (noted.isEmpty())
            co_await m_changed.wait();
        else
            co_await async::sleepFor(m_cluster.zk.loop(), Interval);
    }
}

async::Task<void> CancelSweeper::sweep(QByteArrayList names, recipes::Fence fence)
{
    std::set<JobId> present;
    std::vector<zk::Path> claims;
    for (const QByteArray &name : names) {
        present.insert(JobId::parse(QString::fromUtf8(name)).value_or(JobId()));
        claims.push_back(m_cluster.layout.claims() / name);
    }
    m_setAside.keepOnly(present);
    m_setAside.takeDue(); // settled below, if they have no claim
    const std::vector<Answer<zk::Node>> claimed = co_await jobs::readNodes(m_cluster.zk, std::move(claims));
    for (std::size_t i = 0; i < claimed.size(); ++i) {
        if (claimed[i].is(zk::Code::NoNode))
            co_await settle(names[static_cast<qsizetype>(i)], fence);
    }
}

// One that cannot be ended now keeps no other from its end.
async::Task<void> CancelSweeper::settle(QByteArray name, recipes::Fence fence)
{
    const std::optional<JobId> id = JobId::parse(QString::fromUtf8(name)); // else the note is no job's
    if (id && m_setAside.holds(*id))
        co_return;
    QString trouble;
    try {
        bool ended = true;
        if (id)
            ended = co_await jobs::cancelIfThere(m_cluster, *id);
        if (ended) {
            zk::Transaction transaction;
            fence.guard(transaction);
            transaction.remove(jobs::cancelNotes(m_cluster.layout) / name);
            co_await commitAsMaster(m_cluster.zk, std::move(transaction)); // refused if it is gone already
            m_setAside.remove(id.value_or(JobId()));
            co_return;
        }
        trouble = QStringLiteral("there is a znode below its own");
    } catch (const zk::AccessDenied &error) {
        trouble = QString::fromUtf8(error.what());
    }
    m_setAside.add(id.value_or(JobId()), {}, trouble);
}

} // namespace drover::workers
