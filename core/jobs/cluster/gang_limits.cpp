#include "jobs/cluster/gang_limits.h"

#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "recipes/blocks/persistent.h"
#include "recipes/values/counter.h"

namespace drover::jobs {

using zk::Answer;

int GangLimit::permits(const zk::Node *node) const
{
    if (ofQueue) {
        const int limit = node ? QueueSettings::of(node->data).limit : 0;
        return limit > 0 ? limit : MaxPermits;
    }
    if (!node)
        return UnsetPermits;
    return recipes::SharedCount::decode(node->data).value_or(0);
}

std::vector<GangLimit> limitsOn(const JobSpec &gang)
{
    std::vector<GangLimit> limits;
    for (const QString &name : gang.limits)
        limits.push_back({name.toLatin1()});
    limits.push_back({gang.queue, true});
    return limits;
}

async::Task<std::optional<LowLimit>> lowLimit(Cluster cluster, JobSpec gang)
{
    const std::vector<GangLimit> limits = limitsOn(gang);
    for (const GangLimit &limit : limits) {
        const Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(limit.node(cluster.layout));
        const int permits = limit.permits(node.ok() ? &*node : nullptr);
        if (permits < gang.gang)
            co_return LowLimit{limit, permits};
    }
    co_return std::nullopt;
}

} // namespace drover::jobs
