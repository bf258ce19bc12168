#include "jobs/explain/worker_pool.h"

#include "recipes/blocks/persistent.h"
#include "text/quantity.h"

#include <algorithm>

namespace drover::jobs {

namespace {

using Chosen = std::vector<const WorkerPool::Member *>;

template <typename Predicate>
Chosen those(const Chosen &members, Predicate predicate)
{
    Chosen found;
    std::copy_if(members.begin(), members.end(), std::back_inserter(found), predicate);
    return found;
}

Chosen all(const WorkerPool &pool)
{
    Chosen members;
    for (const WorkerPool::Member &member : pool.members)
        members.push_back(&member);
    return members;
}

Chosen serving(const WorkerPool &pool, const JobSpec &spec)
{
    const QString queue = QString::fromUtf8(spec.queue);
    return those(all(pool), [&](const WorkerPool::Member *member) { return member->info.queues.contains(queue); });
}

bool hasLabels(const WorkerPool::Member *member, const QStringList &labels)
{
    return std::all_of(labels.begin(), labels.end(),
                       [&](const QString &label) { return member->info.labels.contains(label); });
}

bool isLargeEnough(const WorkerPool::Member *member, const Needs &needs)
{
    return needs.slots <= member->info.slotCount && needs.memory <= member->info.memory;
}

// If they may and can.
Chosen couldRun(const WorkerPool &pool, const JobSpec &spec)
{
    return those(serving(pool, spec), [&](const WorkerPool::Member *member) {
        return hasLabels(member, spec.needs.labels) && isLargeEnough(member, spec.needs);
    });
}

// What the labels of the workers of its queue leave to be wished.
std::optional<Reason> whyNoLabels(const Chosen &workers, const QString &queue, const QStringList &labels)
{
    for (const QString &label : labels) {
        if (std::none_of(workers.begin(), workers.end(),
                         [&](const auto *member) { return member->info.labels.contains(label); }))
            return Reason{QStringLiteral("no worker of queue %1 has the label %2").arg(queue, label),
                          QStringLiteral("start one: drover worker --queue %1 --label %2").arg(queue, label)};
    }
    if (std::none_of(workers.begin(), workers.end(), [&](const auto *member) { return hasLabels(member, labels); }))
        return Reason{QStringLiteral("no worker has all the labels %1").arg(labels.join(QStringLiteral(", ")))};
    return std::nullopt;
}

std::optional<Reason> whyTooLarge(const Chosen &workers, const Needs &needs)
{
    int mostSlots = 0;
    qint64 mostMemory = 0;
    for (const WorkerPool::Member *member : workers) {
        if (isLargeEnough(member, needs))
            return std::nullopt;
        mostSlots = std::max(mostSlots, member->info.slotCount);
        mostMemory = std::max(mostMemory, member->info.memory);
    }
    if (needs.slots > mostSlots)
        return Reason{QStringLiteral("it needs %1, the largest worker has %2")
                          .arg(text::formatCount(needs.slots, "slot", "slots"))
                          .arg(mostSlots)};
    if (needs.memory > mostMemory)
        return Reason{QStringLiteral("it needs %1 of memory, the largest worker has %2")
                          .arg(text::formatSize(needs.memory), text::formatSize(mostMemory))};
    return Reason{QStringLiteral("no worker has both its %1 and its %2 of memory")
                      .arg(text::formatCount(needs.slots, "slot", "slots"), text::formatSize(needs.memory))};
}

} // namespace

std::vector<WorkerInfo> WorkerPool::available() const
{
    std::vector<WorkerInfo> infos;
    for (const Member &member : members) {
        if (!member.cordon)
            infos.push_back(member.info);
    }
    return infos;
}

std::vector<const WorkerPool::Member *> WorkerPool::fitFor(const JobSpec &spec) const
{
    return those(couldRun(*this, spec),
                 [](const Member *member) { return !member->cordon && member->info.trouble.isEmpty(); });
}

async::Task<WorkerPool> readWorkerPool(Cluster cluster)
{
    const std::vector<Member> members = co_await readMembers(cluster);
    const zk::Answer<zk::Children> cordons =
        co_await recipes::Persistent(cluster.zk).children(cluster.layout.cordons());
    WorkerPool pool;
    for (const Member &member : members) {
        if (!member.info)
            continue;
        std::optional<Cordon> cordon;
        if (cordons.ok() && cordons->names.contains(member.id))
            cordon = co_await cordonOf(cluster, member.id);
        pool.members.push_back({*member.info, cordon});
    }
    co_return pool;
}

std::optional<Reason> whyUnfit(const WorkerPool &pool, const JobSpec &spec)
{
    if (pool.members.empty())
        return Reason{QStringLiteral("there is no worker"), QStringLiteral("start one: drover worker")};
    const QString queue = QString::fromUtf8(spec.queue);
    const Chosen ofQueue = serving(pool, spec);
    if (ofQueue.empty())
        return Reason{QStringLiteral("no worker serves queue %1").arg(queue),
                      QStringLiteral("start one: drover worker --queue %1").arg(queue)};
    if (std::optional<Reason> labels = whyNoLabels(ofQueue, queue, spec.needs.labels))
        return labels;
    const auto hasThem = [&](const WorkerPool::Member *member) { return hasLabels(member, spec.needs.labels); };
    return whyTooLarge(those(ofQueue, hasThem), spec.needs);
}

std::optional<Reason> whyNoWorker(const WorkerPool &pool, const JobSpec &spec)
{
    if (std::optional<Reason> unfit = whyUnfit(pool, spec))
        return unfit;
    if (!pool.fitFor(spec).empty())
        return std::nullopt;
    const Chosen suited = couldRun(pool, spec);
    const Chosen cordoned = those(suited, [](const WorkerPool::Member *member) { return member->cordon.has_value(); });
    const Chosen troubled = those(suited, [](const WorkerPool::Member *member) { return !member->cordon; });
    if (!troubled.empty())
        return Reason{QStringLiteral("no machine of a worker that may run it can now; that of %1: %2")
                          .arg(troubled.back()->info.id, troubled.back()->info.trouble),
                      cordoned.empty()
                          ? QStringLiteral("mend that; it tries again within a minute")
                          : QStringLiteral("mend that, or drover worker uncordon %1").arg(cordoned.back()->info.id)};
    const WorkerPool::Member *const last = cordoned.back();
    return Reason{QStringLiteral("every worker that could run it is cordoned; %1 by %2%3")
                      .arg(last->info.id, last->cordon->by,
                           last->cordon->why.isEmpty() ? QString() : QStringLiteral(": ") + last->cordon->why),
                  QStringLiteral("drover worker uncordon %1").arg(last->info.id)};
}

} // namespace drover::jobs
