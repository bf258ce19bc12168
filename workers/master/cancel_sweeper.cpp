#include "workers/master/cancel_sweeper.h"

#include "async/first_of.h"
#include "jobs/client/cancel_job.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/follow.h"
#include "workers/master/base/master_commit.h"

#include <set>

namespace drover::workers {

using jobs::JobId;
using zk::Answer;

namespace {

const QString Stranger = QStringLiteral("the note %1 in cancels/");

std::optional<JobId> jobOf(const QByteArray &note)
{
    return JobId::parse(QString::fromUtf8(note));
}

} // namespace

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
        if (const std::optional<JobId> id = jobOf(name))
            present.insert(*id);
        claims.push_back(m_cluster.layout.claims() / name);
    }
    keepStrangers(names);
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
    const std::optional<JobId> id = jobOf(name);
    if (!id) {
        co_await settleStranger(name, fence);
        co_return;
    }
    if (m_setAside.holds(*id))
        co_return;
    QString trouble;
    try {
        const bool ended = co_await jobs::cancelIfThere(m_cluster, *id);
        if (ended) {
            co_await removeNote(name, fence);
            m_setAside.remove(*id);
            co_return;
        }
        trouble = QStringLiteral("there is a znode below its own");
    } catch (const zk::AccessDenied &error) {
        trouble = QString::fromUtf8(error.what());
    }
    m_setAside.add(*id, {}, trouble);
}

// False if it is gone already, or has children.
async::Task<bool> CancelSweeper::removeNote(QByteArray name, recipes::Fence fence)
{
    zk::Transaction transaction;
    fence.guard(transaction);
    transaction.remove(jobs::cancelNotes(m_cluster.layout) / name);
    const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
    co_return !refused;
}

void CancelSweeper::keepStrangers(const QByteArrayList &names)
{
    if (m_strangers.empty())
        return;
    const std::set<QByteArray> present(names.begin(), names.end());
    for (auto note = m_strangers.begin(); note != m_strangers.end();) {
        const bool isThere = present.contains(note->first);
        if (!isThere)
            m_troubles.clear(Stranger.arg(QString::fromUtf8(note->first)));
        note = isThere ? std::next(note) : m_strangers.erase(note);
    }
}

// The trouble is cleared once the note has gone.
async::Task<void> CancelSweeper::settleStranger(QByteArray name, recipes::Fence fence)
{
    const auto known = m_strangers.find(name);
    if (known != m_strangers.end() && m_cluster.zk.loop().now() < known->second)
        co_return;
    QString trouble = QStringLiteral("there is a znode below it");
    try {
        const bool removed = co_await removeNote(name, fence);
        if (removed)
            co_return;
    } catch (const zk::AccessDenied &error) {
        trouble = QString::fromUtf8(error.what());
    }
    m_troubles.note(Stranger.arg(QString::fromUtf8(name)), trouble, Stranger);
    m_strangers[name] = m_cluster.zk.loop().now() + AsideFor;
}

} // namespace drover::workers
