#include "workers/begin_claimed.h"

#include "recipes/persist.h"

namespace drover::workers {

using recipes::persist;
using zk::Answer;

namespace {

std::optional<jobs::Claim> claimIn(const zk::Node &node)
{
    try {
        return jobs::Claim::decode(node.data);
    } catch (const jobs::Malformed &) {
        return std::nullopt;
    }
}

// Whether it has begun; nothing if the claim has to be looked at again.
async::Task<std::optional<bool>> tryToBegin(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob &job,
                                            QByteArray stored)
{
    const zk::Path path = layout.claim(job.id);
    const auto read = [&] { return zk.get(path); };
    const Answer<zk::Node> node = co_await persist(zk, read);
    if (!node.ok() || node->stat.czxid != job.token)
        co_return false;
    std::optional<jobs::Claim> claim = claimIn(*node);
    if (claim && !claim->pending) { // as an earlier try has made it, whose reply was lost
        job.begun = node->stat.mzxid;
        co_return true;
    }
    if (!claim || claim->cancelled || claim->requeue)
        co_return false;
    claim->pending = false;
    claim->waits.clear();
    zk::Transaction transaction;
    transaction.set(layout.job(job.id.queue, job.entry), stored, job.attempt)
        .set(path, claim->encode(), node->stat.version);
    const Answer<zk::Committed> committed = co_await zk.commit(transaction);
    if (committed.ok()) {
        job.begun = committed->results.front().stat.mzxid;
        co_return true;
    }
    const int failed = committed->failedAt();
    if (failed < 0)
        committed.require();
    if (failed == 0) // cancelled, or another's
        co_return false;
    co_return std::nullopt;
}

// False if it says that already.
using ChangeClaim = std::function<bool(jobs::Claim &)>;

// Whether nothing is left to do.
async::Task<bool> tryToSay(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob job, ChangeClaim change)
{
    const zk::Path path = layout.claim(job.id);
    const auto read = [&] { return zk.get(path); };
    const Answer<zk::Node> node = co_await persist(zk, read);
    if (!node.ok() || node->stat.czxid != job.token)
        co_return true;
    std::optional<jobs::Claim> claim = claimIn(*node);
    if (!claim || !change(*claim))
        co_return true;
    const Answer<zk::Stat> written = co_await zk.set(path, claim->encode(), node->stat.version);
    co_return written.ok();
}

async::Task<void> say(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob job, ChangeClaim change)
{
    bool done = false;
    while (!done) {
        try {
            done = co_await tryToSay(zk, layout, job, change);
            continue;
        } catch (const zk::AccessDenied &) {
            co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace

async::Task<bool> beginClaimed(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob &job)
{
    const QByteArray stored = jobs::JobSpec::markBegun(jobs::JobSpec::countPending(job.stored), job.attempt);
    std::optional<bool> begun;
    while (!begun) {
        try {
            begun = co_await tryToBegin(zk, layout, job, stored);
            continue;
        } catch (const zk::AccessDenied &) {
            co_return false;
        } catch (const zk::ConnectionLoss &) {
        }
        const zk::Path claims = layout.claims();
        const auto sync = [&] { return zk.sync(claims); };
        co_await persist(zk, sync);
    }
    if (*begun) {
        job.stored = stored;
        job.pending = false;
    }
    co_return *begun;
}

async::Task<void> sayThatItRuns(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob job)
{
    const ChangeClaim change = [](jobs::Claim &claim) { return std::exchange(claim.ahead, false); };
    co_await say(zk, std::move(layout), std::move(job), change);
}

async::Task<void> sayWhatItWaitsFor(zk::Coordinator &zk, jobs::Layout layout, ClaimedJob job, QString waits)
{
    const ChangeClaim change = [waits](jobs::Claim &claim) { return std::exchange(claim.waits, waits) != waits; };
    co_await say(zk, std::move(layout), std::move(job), change);
}

} // namespace drover::workers
