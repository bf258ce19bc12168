#include "jobs/cluster/worker_pool.h"

#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::jobs {

bool WorkerPool::Member::hasLabels(const QStringList &labels) const
{
    return std::ranges::all_of(labels, [this](const QString &label) { return info.labels.contains(label); });
}

bool WorkerPool::Member::isLargeEnough(const Needs &needs) const
{
    return needs.slots <= info.slotCount && needs.memory <= info.memory;
}

std::vector<WorkerInfo> WorkerPool::available() const
{
    std::vector<WorkerInfo> infos;
    for (const Member &member : members) {
        if (!member.cordon)
            infos.push_back(member.info);
    }
    return infos;
}

WorkerPool::Chosen WorkerPool::serving(const QByteArray &queue) const
{
    Chosen chosen;
    for (const Member &member : members) {
        if (member.info.queues.contains(QString::fromUtf8(queue)))
            chosen.push_back(&member);
    }
    return chosen;
}

WorkerPool::Chosen WorkerPool::suitedFor(const JobSpec &spec) const
{
    Chosen chosen = serving(spec.queue);
    std::erase_if(chosen, [&](const Member *member) {
        return !member->hasLabels(spec.needs.labels) || !member->isLargeEnough(spec.needs);
    });
    return chosen;
}

WorkerPool::Chosen WorkerPool::fitFor(const JobSpec &spec) const
{
    Chosen chosen = suitedFor(spec);
    std::erase_if(chosen, [](const Member *member) { return member->cordon || !member->info.trouble.isEmpty(); });
    return chosen;
}

async::Task<WorkerPool> readWorkerPool(Cluster cluster)
{
    const std::vector<StoredMember> members = co_await readMembers(cluster);
    const zk::Answer<zk::Children> cordons =
        co_await recipes::Persistent(cluster.zk).children(cluster.layout.cordons());
    WorkerPool pool;
    for (const StoredMember &member : members) {
        if (!member.info)
            continue;
        std::optional<Cordon> cordon;
        if (cordons.ok() && cordons->names.contains(member.id))
            cordon = co_await cordonOf(cluster, member.id);
        pool.members.push_back({*member.info, cordon});
    }
    co_return pool;
}

} // namespace drover::jobs
