#include "workers/master/gang_round_sweeper.h"

#include "jobs/client/cancel_job.h"
#include "jobs/client/job_lookup.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"

namespace drover::workers {

using recipes::Persistent;
using zk::Answer;

namespace {

constexpr std::chrono::minutes Interval{1};

async::Task<std::vector<jobs::JobId>> membersOf(jobs::Cluster cluster, jobs::JobId gang)
{
    const zk::Path queue = cluster.layout.queue(gang.queue);
    const Answer<zk::Children> names = co_await Persistent(cluster.zk).children(queue);
    std::vector<jobs::JobId> members;
    for (const QByteArray &name : names->names) {
        const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
        if (entry && entry->number == gang.number && entry->task != jobs::JobId::NoTask)
            members.push_back(entry->idIn(gang.queue));
    }
    co_return members;
}

// Refused if something has come or gone meanwhile: then the next time.
async::Task<void> removeRound(jobs::Cluster cluster, zk::Path round, recipes::Fence fence)
{
    const Answer<zk::Children> names = co_await Persistent(cluster.zk).children(round);
    zk::Transaction transaction;
    fence.guard(transaction);
    for (const QByteArray &name : names->names)
        transaction.remove(round / name);
    transaction.remove(round);
    co_await commitAsMaster(cluster.zk, std::move(transaction));
}

async::Task<void> sweep(jobs::Cluster cluster, zk::Path round, recipes::Fence fence)
{
    const std::optional<jobs::JobId> gang = jobs::JobId::parse(QString::fromLatin1(round.name().split(':').front()));
    if (!gang)
        co_return;
    const bool unfinished = co_await jobs::isUnfinished(cluster, *gang);
    if (unfinished)
        co_return;
    const std::vector<jobs::JobId> members = co_await membersOf(cluster, *gang);
    for (const jobs::JobId &member : members)
        co_await jobs::cancelIfThere(cluster, member);
    if (members.empty())
        co_await removeRound(cluster, std::move(round), std::move(fence));
}

} // namespace

async::Task<void> sweepGangRounds(jobs::Cluster cluster, recipes::Fence fence)
{
    const zk::Path rounds = cluster.layout.gangs();
    for (;;) {
        co_await async::sleepFor(cluster.zk.loop(), Interval);
        const Answer<zk::Children> names = co_await Persistent(cluster.zk).children(rounds);
        for (const QByteArray &name : names->names)
            co_await sweep(cluster, rounds / name, fence);
    }
}

} // namespace drover::workers
