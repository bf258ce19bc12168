#include "output/attempt_end.h"

#include "jobs/records.h"
#include "recipes/persist.h"

namespace drover::output {

namespace {

// A claim that somebody has made unreadable counts as the one it was: its worker still runs the job.
bool isAttempt(const zk::Node &claim, int attempt)
{
    try {
        return jobs::Claim::decode(claim.data).attempt == attempt;
    } catch (const jobs::Malformed &) {
        return true;
    }
}

} // namespace

async::Task<void> untilAttemptEnds(zk::Coordinator &zk, jobs::Layout layout, jobs::JobId id, int attempt)
{
    const zk::Path claim = layout.claim(id);
    for (;;) {
        zk::Watch watch;
        const auto read = [&] { return zk.get(claim, watch); };
        const zk::Answer<zk::Node> node = co_await recipes::persist(zk, read);
        if (!node.ok() || !isAttempt(*node, attempt))
            co_return;
        co_await watch.fired();
    }
}

} // namespace drover::output
