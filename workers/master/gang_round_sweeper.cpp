#include "workers/master/gang_round_sweeper.h"

#include "jobs/client/cancel_job.h"
#include "jobs/client/job_lookup.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"

namespace drover::workers {

using recipes::Persistent;
using zk::Answer;

async::Task<void> GangRoundSweeper::run(recipes::Fence fence)
{
    const zk::Path rounds = m_cluster.layout.gangs();
    for (;;) {
        co_await async::sleepFor(m_cluster.zk.loop(), Interval);
        const Answer<zk::Children> names = co_await Persistent(m_cluster.zk).children(rounds);
        for (const QByteArray &name : names->names)
            co_await sweep(rounds / name, fence);
    }
}

async::Task<void> GangRoundSweeper::sweep(zk::Path round, recipes::Fence fence)
{
    const std::optional<jobs::JobId> gang = jobs::JobId::parse(QString::fromLatin1(round.name().split(':').front()));
    if (!gang)
        co_return;
    const bool unfinished = co_await jobs::isUnfinished(m_cluster, *gang);
    if (unfinished)
        co_return;
    const std::vector<jobs::JobId> members = co_await membersOf(*gang);
    for (const jobs::JobId &member : members)
        co_await jobs::cancelIfThere(m_cluster, member);
    if (members.empty())
        co_await removeRound(std::move(round), std::move(fence));
}

async::Task<std::vector<jobs::JobId>> GangRoundSweeper::membersOf(jobs::JobId gang)
{
    const zk::Path queue = m_cluster.layout.queue(gang.queue);
    const Answer<zk::Children> names = co_await Persistent(m_cluster.zk).children(queue);
    std::vector<jobs::JobId> members;
    for (const QByteArray &name : names->names) {
        const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
        if (entry && entry->number == gang.number && entry->task != jobs::JobId::NoTask)
            members.push_back(entry->idIn(gang.queue));
    }
    co_return members;
}

// Refused if something has come or gone meanwhile: then the next time.
async::Task<void> GangRoundSweeper::removeRound(zk::Path round, recipes::Fence fence)
{
    const Answer<zk::Children> names = co_await Persistent(m_cluster.zk).children(round);
    zk::Transaction transaction;
    fence.guard(transaction);
    for (const QByteArray &name : names->names)
        transaction.remove(round / name);
    transaction.remove(round);
    co_await commitAsMaster(m_cluster.zk, std::move(transaction));
}

} // namespace drover::workers
