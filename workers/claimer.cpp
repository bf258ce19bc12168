#include "workers/claimer.h"

#include "jobs/read_nodes.h"
#include "recipes/persist.h"
#include "workers/batch.h"

#include <deque>

namespace drover::workers {

using jobs::FinalRecord;
using jobs::JobId;
using jobs::JobSpec;
using jobs::QueueEntry;
using recipes::persist;
using zk::Answer;

namespace {

constexpr int OperationsPerClaim = 2;

QByteArray claimOf(const ClaimedJob &job, const QString &worker)
{
    jobs::Claim claim;
    claim.worker = worker;
    claim.attempt = job.attempt;
    claim.entry = job.entry.name();
    claim.slotCount = job.spec.needs.slots;
    claim.pending = job.pending;
    claim.ahead = job.ahead;
    claim.unbegun = job.unbegun;
    return claim.encode();
}

bool isOfAttempt(const zk::Node &claim, qint32 attempt)
{
    try {
        return jobs::Claim::decode(claim.data).attempt == attempt;
    } catch (const jobs::Malformed &) {
        return false;
    }
}

// Reads the spec into `job`; the final record, if nobody is to run it.
std::optional<FinalRecord> readSpec(ClaimedJob &job, qint32 version, std::chrono::milliseconds now)
{
    try {
        job.spec = JobSpec::decode(job.stored, job.id.queue, job.entry.priority);
        if (job.spec.gang > 0 && !job.id.isTask())
            throw jobs::Malformed(QStringLiteral("field \"gang\": it is no member of one"));
    } catch (const jobs::Malformed &error) {
        return FinalRecord::withoutRun(job.id, JobSpec(), FinalRecord::Outcome::Malformed,
                                       QString::fromUtf8(error.what()), version, now);
    }
    const qint32 lost = job.spec.lost(version);
    if (job.spec.cancelled)
        return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::Cancelled,
                                       QStringLiteral("cancelled, and its worker was lost before it had ended it"),
                                       version, now);
    if (version >= Claimer::MostClaims)
        return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::GaveUp,
                                       QStringLiteral("it was claimed %1 times and never ended").arg(version), version,
                                       now);
    if (lost >= job.spec.maxAttempts)
        return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::GaveUp,
                                       QStringLiteral("%1 attempts ended with their workers").arg(lost), version, now);
    return std::nullopt;
}

} // namespace

async::Task<Claims> Claimer::claim(QByteArray queue, std::vector<QueueEntry> entries, Terms terms)
{
    Claims claims = co_await readCandidates(queue, std::move(entries), terms);
    std::deque<std::vector<ClaimedJob>> batches;
    batches.push_back(std::exchange(claims.jobs, {}));
    while (!batches.empty()) {
        std::vector<ClaimedJob> batch = std::move(batches.front());
        batches.pop_front();
        const bool permitted = co_await claimTogether(batch, terms.settings, claims.stale);
        if (permitted) {
            std::move(batch.begin(), batch.end(), std::back_inserter(claims.jobs));
        } else if (batch.size() == 1) {
            claims.hopeless.push_back(batch.front().entry);
        } else {
            for (ClaimedJob &job : batch)
                batches.emplace_back().push_back(std::move(job));
        }
    }
    co_return claims;
}

async::Task<Claims> Claimer::readCandidates(QByteArray queue, std::vector<QueueEntry> entries, Terms terms)
{
    std::vector<zk::Path> paths;
    for (const QueueEntry &entry : entries)
        paths.push_back(m_layout.job(queue, entry));
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    Claims found;
    qsizetype size = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Answer<zk::Node> &node = nodes[i];
        if (node.is(zk::Code::NoAuth))
            found.hopeless.push_back(entries[i]);
        if (!node.ok())
            continue;
        const qint32 version = node->stat.version;
        ClaimedJob job{entries[i].idIn(queue), entries[i], {}, node->data, version + 1, 0};
        std::optional<FinalRecord> record = readSpec(job, version, m_zk.loop().wallClock());
        job.unbegun = version - job.spec.begun(version);
        if (record) {
            const bool ended = co_await end(job.entry, version, std::move(*record));
            if (!ended)
                found.hopeless.push_back(job.entry);
            continue;
        }
        size += node->data.size();
        if (size > Batch::MaxBytes)
            break; // the others are listed again
        const Fit fit = terms.judge(job);
        switch (fit) {
        case Fit::Claim:
        case Fit::ClaimAhead:
        case Fit::ClaimPending:
            job.ahead = fit == Fit::ClaimAhead;
            job.pending = fit == Fit::ClaimPending;
            found.jobs.push_back(std::move(job));
            break;
        case Fit::NotNow:
            found.notNow.push_back(entries[i]);
            break;
        case Fit::Crowded:
            found.crowded.push_back(std::move(job));
            break;
        case Fit::Never:
            found.never.push_back(std::move(job));
            break;
        }
    }
    co_return found;
}

// Leaves those that are ours now; false, and all of them, if one may not be changed.
async::Task<bool> Claimer::claimTogether(std::vector<ClaimedJob> &jobs, Settings settings, bool &stale)
{
    while (!jobs.empty()) {
        try {
            const bool committed = co_await commit(jobs, settings, stale);
            if (committed)
                break;
            continue;
        } catch (const zk::AccessDenied &) {
            co_return false;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await keepOwn(jobs);
        break;
    }
    co_return true;
}

// One attempt to claim them all; false if one was in the way, which is then no longer among them. If the queue's
// settings have changed, none of them is.
async::Task<bool> Claimer::commit(std::vector<ClaimedJob> &jobs, Settings settings, bool &stale)
{
    zk::Transaction transaction;
    if (settings)
        transaction.check(m_layout.queue(jobs.front().id.queue), *settings);
    const int first = settings ? 1 : 0; // of the claims' operations
    for (const ClaimedJob &job : jobs) {
        const QByteArray data = job.pending ? JobSpec::countPending(job.stored) : job.stored;
        transaction.set(m_layout.job(job.id.queue, job.entry), data, job.attempt - 1)
            .create(m_layout.claim(job.id), claimOf(job, m_worker), zk::CreateMode::Ephemeral);
    }
    const ServerClock::Instant sent = m_zk.loop().wallClock();
    const Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
    if (committed.ok()) {
        const ServerClock::Instant stamped(committed->results[settings ? 1 : 0].stat.mtime);
        if (m_clock)
            m_clock->measured(sent, m_zk.loop().wallClock(), stamped);
        for (std::size_t i = 0; i < jobs.size(); ++i)
            jobs[i].token = committed->results[(settings ? 1 : 0) + i * OperationsPerClaim].stat.mzxid;
        co_return true;
    }
    const int failed = committed->failedAt();
    if (failed < 0)
        committed.require();
    const int refused = failed - first;
    stale = refused < 0;
    if (stale)
        jobs.clear();
    else
        jobs.erase(jobs.begin() + refused / OperationsPerClaim);
    co_return false;
}

// After a lost reply: which of them are ours? The claims tell, not the jobs: a cancel changes a job's version.
async::Task<void> Claimer::keepOwn(std::vector<ClaimedJob> &jobs)
{
    const zk::Path claims = m_layout.claims();
    const auto sync = [&] { return m_zk.sync(claims); };
    const Answer<zk::Nothing> synced = co_await persist(m_zk, sync);
    std::vector<zk::Path> paths;
    for (const ClaimedJob &job : jobs)
        paths.push_back(m_layout.claim(job.id));
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    std::vector<ClaimedJob> own;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Answer<zk::Node> &claim = nodes[i];
        if (!claim.ok() || claim->stat.ephemeralOwner != m_zk.sessionId() || !isOfAttempt(*claim, jobs[i].attempt))
            continue;
        jobs[i].token = claim->stat.czxid;
        own.push_back(std::move(jobs[i]));
    }
    jobs = std::move(own);
}

// True when it is no longer there as it was read: ended by us or by somebody else, or claimed.
async::Task<bool> Claimer::end(QueueEntry entry, qint32 version, FinalRecord record)
{
    const zk::Path job = m_layout.job(record.id.queue, entry);
    const zk::Path done = m_layout.done(record.id);
    const zk::Path claim = m_layout.claim(record.id);
    zk::Transaction unclaimed; // refused at its first operation if the job is claimed
    unclaimed.create(claim, {}, zk::CreateMode::Ephemeral).remove(claim).remove(job, version);
    zk::Transaction end = unclaimed;
    end.create(done, record.encode());
    zk::Transaction drop = unclaimed;
    drop.check(done);
    const auto commitEnd = [&] { return m_zk.commit(end); };
    const auto commitDrop = [&] { return m_zk.commit(drop); };
    try {
        Answer<zk::Committed> committed = co_await persist(m_zk, commitEnd);
        if (committed->failedAt() == 3) // a final record is there
            committed = co_await persist(m_zk, commitDrop);
        if (!committed.ok() && committed->failedAt() < 0)
            committed.require();
        co_return !committed.is(zk::Code::NotEmpty);
    } catch (const zk::AccessDenied &) {
    }
    co_return false;
}

} // namespace drover::workers
