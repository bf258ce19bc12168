#include "workers/master/cancel_sweeper.h"

#include "async/first_of.h"
#include "jobs/client/cancel_job.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/follow.h"
#include "workers/master/base/master_commit.h"

#include <QLoggingCategory>

namespace drover::workers {

using zk::Answer;

Q_LOGGING_CATEGORY(lcCancelSweeper, "drover.workers.cancel_sweeper")

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
        const QByteArray name = names[static_cast<qsizetype>(i)];
        const auto aside = m_aside.find(name);
        const bool isDue = aside == m_aside.end() || aside->second <= m_cluster.zk.loop().now();
        if (claimed[i].is(zk::Code::NoNode) && isDue)
            co_await settle(name, fence);
    }
    std::erase_if(m_aside, [&names](const auto &aside) { return !names.contains(aside.first); });
}

// One that cannot be ended now keeps no other from its end.
async::Task<void> CancelSweeper::settle(QByteArray name, recipes::Fence fence)
{
    QString trouble;
    try {
        const bool ended = co_await endJob(name);
        if (ended) {
            zk::Transaction transaction;
            fence.guard(transaction);
            transaction.remove(jobs::cancelNotes(m_cluster.layout) / name);
            co_await commitAsMaster(m_cluster.zk, std::move(transaction)); // refused if it is gone already
            m_aside.erase(name);
            co_return;
        }
        trouble = QStringLiteral("there is a znode below its own");
    } catch (const zk::AccessDenied &error) {
        trouble = QString::fromUtf8(error.what());
    }
    qCWarning(lcCancelSweeper, "%s was cancelled and cannot be ended; it is tried again in a minute: %s",
              name.constData(), qPrintable(trouble));
    m_aside.insert_or_assign(name, m_cluster.zk.loop().now() + AsideFor);
}

// False: it cannot be deleted.
async::Task<bool> CancelSweeper::endJob(QByteArray name)
{
    const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
    if (!id)
        co_return true;
    const bool ended = co_await jobs::cancelIfThere(m_cluster, *id);
    co_return ended;
}

} // namespace drover::workers
