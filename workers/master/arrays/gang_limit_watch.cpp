#include "workers/master/arrays/gang_limit_watch.h"

#include "jobs/cluster/queue_settings.h"
#include "recipes/blocks/follow.h"
#include "workers/master/base/supervise.h"

namespace drover::workers {

using jobs::GangLimit;

namespace {

constexpr int Unknown = 0;

bool isPaused(const GangLimit &limit, const zk::Node *node)
{
    return limit.ofQueue && node && jobs::QueueSettings::of(node->data).paused;
}

} // namespace

GangLimitWatch::GangLimitWatch(jobs::Cluster cluster, std::function<void()> onChange)
    : m_cluster(std::move(cluster)), m_onChange(std::move(onChange)),
      m_following([](const std::exception_ptr &) {}) // the session's end, which the master hears of elsewhere
{
}

bool GangLimitWatch::allows(const jobs::JobSpec &gang)
{
    bool enough = true;
    for (const GangLimit &limit : jobs::limitsOn(gang)) {
        const auto [permits, isNew] = m_permits.try_emplace(limit.node(m_cluster.layout), Unknown);
        if (isNew)
            m_following.spawn(follow(limit));
        enough = enough && permits->second >= gang.gang;
    }
    return enough;
}

async::Task<void> GangLimitWatch::follow(GangLimit limit)
{
    const zk::Path path = limit.node(m_cluster.layout);
    const auto onNode = [&](const zk::Node *node) {
        const int permits = isPaused(limit, node) ? 0 : limit.permits(node);
        if (std::exchange(m_permits[path], permits) != permits)
            m_onChange();
    };
    const auto look = [&] { return recipes::followData(m_cluster.zk, path, onNode); };
    const auto onFailure = [&] { m_permits[path] = Unknown; };
    co_await superviseWatch(m_cluster.zk, QStringLiteral("gangs under a limit wait until it can be read"), look,
                            onFailure);
}

} // namespace drover::workers
