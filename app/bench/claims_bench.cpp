#include "app/bench/benches.h"
#include "app/bench/setup/bulk_submit.h"
#include "app/scratch/scratch_cluster.h"
#include "jobs/cluster/cluster_config.h"
#include "recipes/blocks/persistent.h"

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto RefillInterval = 5ms;

// Refills the queue for so long; how many jobs have ended meanwhile, a second.
async::Task<double> refill(BenchCluster &cluster, ClaimsBenchOptions options, async::Duration duration)
{
    zk::Client &zk = cluster.handle().zk;
    const async::TimePoint begin = zk.loop().now();
    std::optional<qint64> endedBefore;
    for (;;) {
        cluster.worker().requireRunning();
        const zk::Answer<zk::Stat> stat =
            co_await recipes::Persistent(zk).exists(cluster.handle().layout.queue("default"));
        const qint64 ended = jobs::submittedTo(*stat) - stat->numChildren;
        const std::chrono::duration<double> passed = zk.loop().now() - begin;
        if (passed >= duration)
            co_return static_cast<double>(ended - endedBefore.value_or(ended)) / passed.count();
        if (!endedBefore)
            endedBefore = ended;
        if (stat->numChildren < options.queued)
            co_await submitMany(cluster.handle(), benchJob(options.command), options.queued - stat->numChildren);
        co_await async::sleepFor(zk.loop(), RefillInterval);
    }
}

} // namespace

async::Task<Figures> measureClaims(BenchCluster &cluster, ClaimsBenchOptions options)
{
    co_await submitMany(cluster.handle(), benchJob(options.command), options.queued);
    co_await cluster.join(QStringLiteral("worker"), options.slotCount);
    co_await refill(cluster, options, options.warmUp);
    const double rate = co_await refill(cluster, options, options.duration);
    Figures figures("claims");
    figures.add("per_s", rate, "jobs a second");
    co_return figures;
}

} // namespace drover::app
