#include "workers/claimer.h"

#include "recipes/persist.h"

#include <QDateTime>

namespace drover::workers {

using jobs::FinalRecord;
using jobs::JobId;
using jobs::JobSpec;
using jobs::QueueEntry;
using recipes::persist;
using zk::Answer;

namespace {

constexpr int OperationsPerClaim = 2;
constexpr qsizetype MaxTransaction = 512 * 1024; // bytes of specs: half of what a server takes

QByteArray claimOf(const ClaimedJob &job, const QString &worker)
{
    jobs::Claim claim;
    claim.worker = worker;
    claim.attempt = job.attempt;
    claim.entry = job.entry.name();
    return claim.encode();
}

FinalRecord recordOf(const JobId &id, const JobSpec &spec, FinalRecord::Outcome outcome, const QString &reason)
{
    FinalRecord record = FinalRecord::of(id, spec);
    record.outcome = outcome;
    record.reason = reason;
    record.finishedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    return record;
}

} // namespace

async::Task<std::vector<ClaimedJob>> Claimer::claim(QByteArray queue, std::vector<QueueEntry> entries)
{
    std::vector<ClaimedJob> jobs;
    try {
        jobs = co_await readCandidates(queue, std::move(entries));
    } catch (const zk::ConnectionLoss &) {
        co_return std::vector<ClaimedJob>(); // nothing was claimed; whoever asked lists again
    }
    while (!jobs.empty()) {
        bool unknown = false;
        try {
            const bool committed = co_await commit(jobs);
            if (committed)
                co_return jobs;
        } catch (const zk::ConnectionLoss &) {
            unknown = true;
        }
        if (unknown) {
            co_await keepOwn(jobs);
            co_return jobs;
        }
    }
    co_return std::vector<ClaimedJob>();
}

async::Task<std::vector<ClaimedJob>> Claimer::readCandidates(QByteArray queue, std::vector<QueueEntry> entries)
{
    std::vector<zk::Reply<zk::Node>> reading;
    reading.reserve(entries.size());
    for (const QueueEntry &entry : entries)
        reading.push_back(m_zk.get(m_layout.job(queue, entry)));
    std::vector<ClaimedJob> candidates;
    qsizetype size = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Answer<zk::Node> node = co_await reading[i];
        if (!node.ok())
            continue;
        ClaimedJob job{JobId{queue, entries[i].number}, entries[i], {}, node->data, node->stat.version + 1, 0};
        std::optional<FinalRecord> ended;
        try {
            job.spec = JobSpec::decode(node->data, queue, job.entry.priority);
            const int begun = node->stat.version - 2 * job.spec.returned; // giving back raises the version, too
            if (begun >= job.spec.maxAttempts)
                ended = recordOf(job.id, job.spec, FinalRecord::Outcome::GaveUp,
                                 QStringLiteral("%1 attempts ended with their workers").arg(begun));
        } catch (const jobs::Malformed &error) {
            ended = recordOf(job.id, JobSpec(), FinalRecord::Outcome::Malformed, QString::fromUtf8(error.what()));
        }
        if (!ended) {
            size += node->data.size();
            if (size > MaxTransaction)
                break; // the others are listed again
            candidates.push_back(std::move(job));
            continue;
        }
        ended->attempt = node->stat.version;
        co_await end(job.entry, node->stat.version, *ended);
    }
    co_return candidates;
}

// One attempt to claim them all; false if one was in the way, which is then no longer among them.
async::Task<bool> Claimer::commit(std::vector<ClaimedJob> &jobs)
{
    zk::Transaction transaction;
    for (const ClaimedJob &job : jobs) {
        transaction.set(m_layout.job(job.id.queue, job.entry), job.stored, job.attempt - 1)
            .create(m_layout.claim(job.id), claimOf(job, m_worker), zk::CreateMode::Ephemeral);
    }
    const Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
    if (committed.ok()) {
        for (std::size_t i = 0; i < jobs.size(); ++i)
            jobs[i].token = committed->results[i * OperationsPerClaim].stat.mzxid;
        co_return true;
    }
    const int failed = committed->failedAt();
    if (failed < 0)
        committed.require();
    jobs.erase(jobs.begin() + failed / OperationsPerClaim);
    co_return false;
}

// After a lost reply: which of them are ours?
async::Task<void> Claimer::keepOwn(std::vector<ClaimedJob> &jobs)
{
    const zk::Path claims = m_layout.claims();
    const auto sync = [&] { return m_zk.sync(claims); };
    const Answer<zk::Nothing> synced = co_await persist(m_zk, sync);
    std::vector<ClaimedJob> own;
    for (ClaimedJob &job : jobs) {
        const zk::Path path = m_layout.claim(job.id);
        const zk::Path node = m_layout.job(job.id.queue, job.entry);
        const auto look = [&] { return m_zk.exists(path); };
        const auto lookAtJob = [&] { return m_zk.exists(node); };
        const Answer<zk::Stat> claim = co_await persist(m_zk, look);
        const Answer<zk::Stat> stat = co_await persist(m_zk, lookAtJob);
        if (!claim.ok() || claim->ephemeralOwner != m_zk.sessionId() || !stat.ok() || stat->version != job.attempt)
            continue;
        job.token = claim->czxid;
        own.push_back(std::move(job));
    }
    jobs = std::move(own);
}

async::Task<void> Claimer::end(QueueEntry entry, qint32 version, FinalRecord record)
{
    zk::Transaction transaction;
    transaction.remove(m_layout.job(record.id.queue, entry), version).create(m_layout.done(record.id), record.encode());
    const Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
    if (!committed.ok() && committed->failedAt() < 0)
        committed.require(); // anything else: somebody else has claimed or ended it
}

} // namespace drover::workers
