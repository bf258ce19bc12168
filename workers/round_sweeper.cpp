#include "workers/round_sweeper.h"

#include "jobs/cancel.h"
#include "jobs/job_lookup.h"
#include "recipes/persist.h"
#include "workers/mastership.h"

namespace drover::workers {

using recipes::persist;
using zk::Answer;

async::Task<void> RoundSweeper::run(recipes::Fence fence)
{
    const zk::Path rounds = m_layout.gangs();
    const auto list = [&] { return m_zk.children(rounds); };
    for (;;) {
        co_await async::sleepFor(m_zk.loop(), Interval);
        const Answer<zk::Children> names = co_await persist(m_zk, list);
        for (const QByteArray &name : names->names)
            co_await sweep(rounds / name, fence);
    }
}

async::Task<void> RoundSweeper::sweep(zk::Path round, recipes::Fence fence)
{
    const std::optional<jobs::JobId> gang = jobs::JobId::parse(QString::fromLatin1(round.name().split(':').front()));
    if (!gang)
        co_return;
    const bool unfinished = co_await jobs::isUnfinished(m_zk, m_layout, *gang);
    if (unfinished)
        co_return;
    const std::vector<jobs::JobId> members = co_await membersOf(*gang);
    for (const jobs::JobId &member : members)
        co_await jobs::cancelIfThere(m_zk, m_layout, member);
    if (members.empty())
        co_await removeRound(std::move(round), std::move(fence));
}

async::Task<std::vector<jobs::JobId>> RoundSweeper::membersOf(jobs::JobId gang)
{
    const zk::Path queue = m_layout.queue(gang.queue);
    const auto list = [&] { return m_zk.children(queue); };
    const Answer<zk::Children> names = co_await persist(m_zk, list);
    std::vector<jobs::JobId> members;
    for (const QByteArray &name : names->names) {
        const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
        if (entry && entry->number == gang.number && entry->task != jobs::JobId::NoTask)
            members.push_back(entry->idIn(gang.queue));
    }
    co_return members;
}

// Refused if something has come or gone meanwhile: then the next time.
async::Task<void> RoundSweeper::removeRound(zk::Path round, recipes::Fence fence)
{
    const auto list = [&] { return m_zk.children(round); };
    const Answer<zk::Children> names = co_await persist(m_zk, list);
    zk::Transaction transaction;
    fence.guard(transaction);
    for (const QByteArray &name : names->names)
        transaction.remove(round / name);
    transaction.remove(round);
    co_await commitAsMaster(m_zk, std::move(transaction));
}

} // namespace drover::workers
