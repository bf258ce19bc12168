#include "workers/claims/job_endings.h"

#include "recipes/blocks/persistent.h"
#include "zk/transaction_batch.h"

#include <algorithm>

namespace drover::workers {

using jobs::FinalRecord;
using recipes::Persistent;
using zk::Answer;

namespace {

constexpr std::size_t RecordsPlace = 3; // of the operations

// Refused at its first operation if the job is claimed. Each claim raises the version, so version 0 has none: of the
// thousands in a flood each costs one operation.
zk::Transaction removalOf(const jobs::Cluster &cluster, const JobEnding &ending)
{
    zk::Transaction removal;
    if (ending.isRecorded || ending.version > 0) {
        const zk::Path claim = cluster.layout.claim(ending.record.id);
        removal.create(claim, {}, zk::CreateMode::Ephemeral).remove(claim);
    }
    removal.remove(cluster.layout.job(ending.record.id.queue, ending.entry), ending.version);
    return removal;
}

zk::Transaction endOf(const jobs::Cluster &cluster, const JobEnding &ending)
{
    zk::Transaction end = removalOf(cluster, ending);
    if (ending.isRecorded)
        end.create(cluster.layout.done(ending.record.id), ending.record.encode());
    return end;
}

zk::TransactionBatch batchOf(const jobs::Cluster &cluster, const std::vector<JobEnding> &endings)
{
    zk::TransactionBatch batch;
    for (const JobEnding &ending : endings) {
        if (batch.count() >= MostEndedTogether || !batch.add(endOf(cluster, ending)))
            break;
    }
    return batch;
}

void leave(std::vector<LeftJob> &left, const JobEnding &ending, Ended why)
{
    if (why != Ended::Yes)
        left.push_back({ending.record.id, ending.entry, why});
}

// Takes those of the first `count` out of `endings` whose nodes are no longer as they were read.
async::Task<void> dropChanged(jobs::Cluster cluster, std::vector<JobEnding> &endings, std::size_t count,
                              std::vector<LeftJob> &left)
{
    std::vector<zk::Reply<zk::Stat>> looks;
    for (std::size_t i = 0; i < count; ++i)
        looks.push_back(cluster.zk.exists(cluster.layout.job(endings[i].record.id.queue, endings[i].entry)));
    std::vector<Answer<zk::Stat>> stats; // all of them before one is moved: the connection may be lost meanwhile
    for (std::size_t i = 0; i < count; ++i) {
        const Answer<zk::Stat> stat = co_await looks[i];
        stats.push_back(stat);
    }
    std::vector<JobEnding> same;
    for (std::size_t i = 0; i < count; ++i) {
        const Answer<zk::Stat> &stat = stats[i];
        if (stat.ok() && stat->version == endings[i].version && stat->numChildren == 0)
            same.push_back(std::move(endings[i]));
        else
            leave(left, endings[i], stat.ok() && stat->numChildren > 0 ? Ended::Blocked : Ended::Changed);
    }
    std::move(endings.begin() + static_cast<std::ptrdiff_t>(count), endings.end(), std::back_inserter(same));
    endings = std::move(same);
}

} // namespace

std::optional<FinalRecord> endWithoutRun(const ClaimedJob &job, qint32 version, std::chrono::milliseconds now)
{
    const qint32 lost = job.spec.attemptsLost(version);
    if (job.spec.notes.cancelled)
        return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::Cancelled,
                                       QStringLiteral("cancelled, and its worker was lost before it had ended it"),
                                       version, now);
    if (version >= MostClaims)
        return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::GaveUp,
                                       QStringLiteral("it was claimed %1 times and never ended").arg(version), version,
                                       now);
    if (lost >= job.spec.maxAttempts)
        return FinalRecord::withoutRun(job.id, job.spec, FinalRecord::Outcome::GaveUp,
                                       QStringLiteral("%1 attempts ended with their workers").arg(lost), version, now);
    return std::nullopt;
}

async::Task<Ended> endUnclaimed(jobs::Cluster cluster, JobEnding ending)
{
    const zk::Transaction end = endOf(cluster, ending);
    zk::Transaction drop = removalOf(cluster, ending);
    drop.check(cluster.layout.done(ending.record.id));
    try {
        Answer<zk::Committed> committed = co_await Persistent(cluster.zk).commit(end);
        if (committed->refusedAt() == RecordsPlace) // a final record is there
            committed = co_await Persistent(cluster.zk).commit(drop);
        if (committed.ok())
            co_return Ended::Yes;
        if (!committed->refusedAt())
            committed.require();
        co_return committed.is(zk::Code::NotEmpty) ? Ended::Blocked : Ended::Changed;
    } catch (const zk::AccessDenied &) {
        co_return Ended::Blocked;
    }
}

async::Task<std::vector<LeftJob>> endUnclaimed(jobs::Cluster cluster, std::vector<JobEnding> endings)
{
    std::vector<LeftJob> left;
    while (!endings.empty()) {
        const zk::TransactionBatch batch = batchOf(cluster, endings);
        std::size_t inTheWay = 0; // of the batch; if no server says which, the first is as good
        bool isDenied = false; // to this session; no node has changed
        try {
            const Answer<zk::Committed> committed = co_await Persistent(cluster.zk).commit(batch.transaction());
            if (committed.ok()) {
                endings.erase(endings.begin(), endings.begin() + static_cast<std::ptrdiff_t>(batch.count()));
                continue;
            }
            const std::optional<std::size_t> refused = committed->refusedAt();
            if (!refused)
                committed.require();
            inTheWay = batch.at(*refused);
        } catch (const zk::AccessDenied &) {
            isDenied = true;
        }
        JobEnding one = std::move(endings[inTheWay]);
        endings.erase(endings.begin() + static_cast<std::ptrdiff_t>(inTheWay));
        const Ended alone = co_await endUnclaimed(cluster, one);
        leave(left, one, alone);
        const std::size_t others = isDenied ? 0 : batch.count() - 1;
        try {
            co_await dropChanged(cluster, endings, others, left);
        } catch (const zk::ConnectionLoss &) {
            // The next transaction tells.
        }
        co_await cluster.zk.connected();
    }
    co_return left;
}

} // namespace drover::workers
