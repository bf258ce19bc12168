#include "workers/claims/start_attempt.h"

#include "jobs/model/claim.h"
#include "recipes/blocks/persistent.h"

namespace drover::workers {

using recipes::Persistent;
using zk::Answer;

namespace {

// Whether it has started; nothing if the claim has to be looked at again.
async::Task<std::optional<bool>> tryToStart(jobs::Cluster cluster, ClaimedJob &job, QByteArray stored)
{
    const zk::Path path = cluster.layout.claim(job.id);
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(path);
    if (!node.ok() || node->stat.czxid != job.claimZxid)
        co_return false;
    std::optional<jobs::Claim> claim = jobs::tryDecode<jobs::Claim>(node->data);
    if (claim && !claim->pending) { // as an earlier try has made it, whose reply was lost
        job.startZxid = node->stat.mzxid;
        co_return true;
    }
    if (!claim || claim->cancelled || claim->requeue)
        co_return false;
    claim->pending = false;
    claim->waits.clear();
    zk::Transaction transaction;
    transaction.set(cluster.layout.job(job.id.queue, job.entry), stored, job.attempts.claimVersion)
        .set(path, claim->encode(), node->stat.version);
    const Answer<zk::Committed> committed = co_await cluster.zk.commit(transaction);
    if (committed.ok()) {
        job.startZxid = committed->results.front().stat.mzxid;
        co_return true;
    }
    const std::optional<std::size_t> refused = committed->refusedAt();
    if (!refused)
        committed.require();
    if (refused == 0u) // cancelled, or another's
        co_return false;
    co_return std::nullopt;
}

// False if it says that already.
using ChangeClaim = std::function<bool(jobs::Claim &)>;

// Whether nothing is left to do.
async::Task<bool> tryToChange(jobs::Cluster cluster, ClaimedJob job, ChangeClaim change)
{
    const zk::Path path = cluster.layout.claim(job.id);
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(path);
    if (!node.ok() || node->stat.czxid != job.claimZxid)
        co_return true;
    std::optional<jobs::Claim> claim = jobs::tryDecode<jobs::Claim>(node->data);
    if (!claim || !change(*claim))
        co_return true;
    const Answer<zk::Stat> written = co_await cluster.zk.set(path, claim->encode(), node->stat.version);
    co_return written.ok();
}

async::Task<void> changeClaim(jobs::Cluster cluster, ClaimedJob job, ChangeClaim change)
{
    bool done = false;
    while (!done) {
        try {
            done = co_await tryToChange(cluster, job, change);
            continue;
        } catch (const zk::AccessDenied &) {
            co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
}

} // namespace

async::Task<bool> startAttempt(jobs::Cluster cluster, ClaimedJob &job)
{
    const QByteArray stored = jobs::noted(job.stored, [&job](jobs::JobNotes &notes) {
        notes.countPending();
        notes.lastStarted = job.attempts.claimVersion;
    });
    std::optional<bool> started;
    while (!started) {
        try {
            started = co_await tryToStart(cluster, job, stored);
            continue;
        } catch (const zk::AccessDenied &) {
            co_return false;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
        co_await Persistent(cluster.zk).sync(cluster.layout.claims());
    }
    if (*started) {
        job.stored = stored;
        job.pending = false;
    }
    co_return *started;
}

async::Task<void> clearPrefetchMark(jobs::Cluster cluster, ClaimedJob job)
{
    const ChangeClaim change = [](jobs::Claim &claim) { return std::exchange(claim.prefetched, false); };
    co_await changeClaim(std::move(cluster), std::move(job), change);
}

async::Task<void> publishWait(jobs::Cluster cluster, ClaimedJob job, QString waits)
{
    const ChangeClaim change = [waits](jobs::Claim &claim) {
        return !claim.cancelled && std::exchange(claim.waits, waits) != waits;
    };
    co_await changeClaim(std::move(cluster), std::move(job), change);
}

} // namespace drover::workers
