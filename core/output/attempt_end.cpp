#include "output/attempt_end.h"

#include "jobs/model/claim.h"
#include "recipes/blocks/persistent.h"

namespace drover::output {

namespace {

// A claim that another program has made unreadable counts as unchanged: its worker still runs the job.
bool isAttempt(const zk::Node &claim, int attempt)
{
    const std::optional<jobs::Claim> read = jobs::tryDecode<jobs::Claim>(claim.data);
    return !read || read->attempts.claimVersion == attempt;
}

} // namespace

async::Task<void> untilAttemptEnds(jobs::Cluster cluster, jobs::JobId id, int attempt)
{
    const zk::Path claim = cluster.layout.claim(id);
    for (;;) {
        zk::Watch watch;
        const zk::Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(claim, watch);
        if (!node.ok() || !isAttempt(*node, attempt))
            co_return;
        co_await watch.fired();
    }
}

} // namespace drover::output
