#include "workers/claims/claimer.h"

#include "jobs/cluster/members.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/model/claim.h"
#include "recipes/blocks/persistent.h"
#include "text/clock_difference.h"
#include "zk/transaction_batch.h"

#include <QLoggingCategory>

#include <algorithm>
#include <deque>

namespace drover::workers {

using jobs::FinalRecord;
using jobs::JobSpec;
using jobs::QueueEntry;
using recipes::Persistent;
using zk::Answer;

Q_LOGGING_CATEGORY(lcClaimer, "drover.workers.claimer")

namespace {

constexpr int OperationsPerClaim = 2;

QByteArray claimOf(const ClaimedJob &job, const QString &worker)
{
    jobs::Claim claim;
    claim.worker = worker;
    claim.attempts = job.attempts;
    claim.entry = job.entry.name();
    claim.slotCount = job.spec.needs.slots;
    claim.pending = job.pending;
    claim.prefetched = job.prefetched;
    return claim.encode();
}

bool isClaimOf(const zk::Node &claim, const ClaimedJob &job)
{
    const std::optional<jobs::Claim> read = jobs::tryDecode<jobs::Claim>(claim.data);
    return read && read->attempts == job.attempts;
}

bool isRefusal(const JobVerifier::Verdict &verdict)
{
    return !verdict.refusal.isEmpty();
}

// No worker may ever run it.
bool isForNobody(FinalRecord::Outcome outcome)
{
    return outcome == FinalRecord::Outcome::Refused || outcome == FinalRecord::Outcome::Malformed;
}

// Its node's version when it was read.
qint32 versionOf(const ClaimedJob &job)
{
    return job.attempts.claimVersion - 1;
}

} // namespace

async::Task<Claims> Claimer::claim(std::vector<ClaimedJob> jobs, Settings settings)
{
    Claims claims;
    std::deque<std::vector<ClaimedJob>> batches;
    batches.push_back(std::move(jobs));
    while (!batches.empty()) {
        std::vector<ClaimedJob> batch = std::move(batches.front());
        batches.pop_front();
        const bool permitted = co_await claimTogether(batch, settings, claims.stale);
        if (permitted) {
            std::move(batch.begin(), batch.end(), std::back_inserter(claims.jobs));
        } else if (batch.size() == 1) {
            claims.blocked.push_back(batch.front().entry);
        } else {
            for (ClaimedJob &job : batch)
                batches.emplace_back().push_back(std::move(job));
        }
    }
    co_return claims;
}

async::Task<Candidates> Claimer::read(const QByteArray &queue, const std::vector<QueueEntry> &entries)
{
    std::vector<Place> places;
    for (const QueueEntry &entry : entries)
        places.push_back({entry.idIn(queue), entry});
    return read(std::move(places), nullptr);
}

async::Task<Candidates> Claimer::read(std::vector<Place> places, Refused *refused)
{
    std::vector<zk::Path> paths;
    for (const auto &[id, entry] : places)
        paths.push_back(m_cluster.layout.job(id.queue, entry));
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    Candidates found;
    std::vector<ClaimedJob> jobs;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Answer<zk::Node> &node = nodes[i];
        const auto &[id, entry] = places[i];
        const bool isBlocked = node.is(zk::Code::NoAuth) || (node.ok() && node->stat.numChildren > 0);
        if (isBlocked && refused)
            refused->blocked.push_back(id);
        else if (isBlocked)
            found.blocked.push_back(entry);
        else if (node.ok())
            jobs.push_back({id, entry, {}, node->data, {node->stat.version + 1, 0}, node->stat.mzxid});
    }
    co_await readSpecs(std::move(jobs), found, refused);
    co_return found;
}

async::Task<void> Claimer::readSpecs(std::vector<ClaimedJob> jobs, Candidates &found, Refused *refused)
{
    std::vector<JobVerifier::Verdict> verdicts(jobs.size()); // in an open cluster all may run
    if (m_verifier) {
        verdicts = co_await m_verifier->judge(jobs);
        found.undecided = m_verifier->undecided();
    }
    if (!found.undecided.isEmpty())
        co_return;
    if (std::any_of(verdicts.begin(), verdicts.end(), isRefusal)) {
        const QString trouble = co_await clockTrouble();
        found.undecided = trouble;
    }
    qsizetype size = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!found.undecided.isEmpty() && isRefusal(verdicts[i]))
            continue;
        ClaimedJob &job = jobs[i];
        const bool isSigned = !m_verifier || verdicts[i].isSigned;
        std::optional<FinalRecord> record;
        try {
            record = readSpec(job, std::move(verdicts[i]));
        } catch (const jobs::NewerFormat &error) {
            m_refusals.tell(QStringLiteral("%1 is left to newer workers: %2")
                                .arg(job.id.toString(), QString::fromUtf8(error.what())));
            found.unsuitable.push_back(std::move(job));
            continue;
        }
        const qint32 version = versionOf(job);
        job.attempts = jobs::AttemptCount::ofNextClaim(version, job.spec.notes);
        if (record && record->outcome == FinalRecord::Outcome::GaveUp && !job.spec.appendTo.isEmpty()) {
            found.givenUp.push_back({std::move(job), std::move(*record)});
            continue;
        }
        if (record && isForNobody(record->outcome)) {
            const bool isMalformed = record->outcome == FinalRecord::Outcome::Malformed;
            if (refused)
                refused->endings.push_back({job.entry, version, std::move(*record)});
            else
                found.refused.push_back({job.entry, version, isSigned, isMalformed});
            continue;
        }
        if (record) {
            JobEnding ending{job.entry, version, std::move(*record)};
            co_await end(std::move(ending), found);
            continue;
        }
        size += job.stored.size();
        if (size > zk::TransactionBatch::MaxBytes)
            break; // the others are listed again
        found.jobs.push_back(std::move(job));
    }
}

async::Task<bool> Claimer::endGivenUp(GivenUpJob givenUp)
{
    JobEnding ending{givenUp.job.entry, versionOf(givenUp.job), std::move(givenUp.record)};
    const Ended ended = co_await endUnclaimed(m_cluster, std::move(ending));
    co_return ended == Ended::Blocked;
}

async::Task<std::vector<LeftJob>> Claimer::endRefused(std::vector<QueuedRefusal> refused)
{
    Refused found;
    std::vector<Place> toRecord;
    for (const auto &[queue, job] : refused) {
        const jobs::JobId id = job.entry.idIn(queue);
        if (job.isSigned || m_refusals.recordsUnsigned()) {
            toRecord.push_back({id, job.entry});
            continue;
        }
        found.endings.push_back({job.entry, job.version, FinalRecord(), false});
        FinalRecord &bare = found.endings.back().record;
        bare.id = id;
        bare.outcome = job.isMalformed ? FinalRecord::Outcome::Malformed : FinalRecord::Outcome::Refused;
    }
    co_await read(toRecord, &found);
    std::vector<LeftJob> left = co_await endUnclaimed(m_cluster, found.endings);
    m_refusals.noteEnded(found.endings, left);
    for (const auto &[id, entry] : toRecord) {
        const auto isThis = [&id = id, &entry = entry](const JobEnding &ending) {
            return ending.record.id == id && ending.entry == entry;
        };
        const bool isBlocked = std::find(found.blocked.begin(), found.blocked.end(), id) != found.blocked.end();
        if (std::none_of(found.endings.begin(), found.endings.end(), isThis))
            left.push_back({id, entry, isBlocked ? Ended::Blocked : Ended::Changed});
    }
    co_return left;
}

async::Task<bool> Claimer::clockAgrees()
{
    if (m_clock && !m_clock->agrees())
        co_await jobs::measureClock(m_cluster, m_worker.toLatin1(), *m_clock);
    co_return !m_clock || m_clock->agrees();
}

// Empty if the clock is near the servers', or cannot be measured.
async::Task<QString> Claimer::clockTrouble()
{
    const bool agrees = co_await clockAgrees();
    const std::chrono::milliseconds ahead = agrees ? std::chrono::milliseconds() : m_clock->ahead();
    if (std::chrono::abs(ahead) <= zk::ServerClock::Tolerance)
        co_return QString();
    co_return QStringLiteral("its clock is %1, so it cannot tell which signed jobs it may run")
        .arg(text::clockDifference(ahead));
}

// Reads the spec into `job`. Returns the final record if no worker may run the job. Throws NewerFormat.
std::optional<FinalRecord> Claimer::readSpec(ClaimedJob &job, JobVerifier::Verdict verdict)
{
    const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
    try {
        if (isRefusal(verdict))
            return refuse(job, verdict);
        if (verdict.unreadable)
            std::rethrow_exception(verdict.unreadable);
        if (m_verifier) {
            job.spec = std::move(verdict.spec);
            job.start = std::move(verdict.start);
        } else {
            job.spec = JobSpec::decode(job.stored, job.id.queue, job.entry.priority);
        }
        job.spec.priority = job.entry.priority;
        if (job.spec.gang > 0 && !job.id.isTask())
            throw jobs::Malformed(QStringLiteral("field \"gang\": the job is not a member of one"));
    } catch (const jobs::NewerFormat &) {
        throw;
    } catch (const jobs::Malformed &error) {
        return FinalRecord::withoutRun(job.id, JobSpec(), FinalRecord::Outcome::Malformed,
                                       QString::fromUtf8(error.what()), versionOf(job), now);
    }
    std::optional<FinalRecord> record = endWithoutRun(job, versionOf(job), now);
    if (record)
        record->keepSigned(job.stored, job.entry.priority);
    else if (!verdict.replay.isEmpty())
        return refusedRecord(job, job.spec, verdict.replay);
    return record;
}

// The record shows what was asked for. None of it counts as a word of the signer unless it is signed.
std::optional<FinalRecord> Claimer::refuse(const ClaimedJob &job, const JobVerifier::Verdict &verdict)
{
    const JobSpec asked = jobs::tryDecode<JobSpec>(job.stored, job.id.queue, job.entry.priority).value_or(JobSpec());
    FinalRecord record = refusedRecord(job, asked, verdict.refusal);
    record.submitter = verdict.signer ? verdict.signer->name : QString();
    return record;
}

// It is not to be repeated: who does so signs it.
FinalRecord Claimer::refusedRecord(const ClaimedJob &job, const JobSpec &spec, const QString &why)
{
    FinalRecord record = FinalRecord::withoutRun(job.id, spec, FinalRecord::Outcome::Refused, why, versionOf(job),
                                                 m_cluster.zk.loop().wallClock());
    record.repeat = {};
    return record;
}

async::Task<QString> Claimer::tryJournal()
{
    if (!m_verifier)
        co_return QString();
    co_return co_await m_verifier->tryJournal();
}

async::Task<std::vector<ClaimedJob>> Claimer::noteStarts(std::vector<ClaimedJob> jobs, Drop drop)
{
    if (!m_verifier)
        co_return jobs;
    std::vector<JobVerifier::Start> starts(jobs.size());
    const auto note = [this, &jobs, &starts](std::size_t i) -> async::Task<void> {
        const JobVerifier::Start start = co_await m_verifier->noteStart(jobs[i]);
        starts[i] = start;
    };
    async::TaskGroup noting; // together, for the disk
    for (std::size_t i = 0; i < jobs.size(); ++i)
        noting.spawn(note(i));
    co_await noting.drained();
    std::vector<ClaimedJob> mayBegin;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (!starts[i].refusal.isEmpty()) {
            m_refusals.tell(QStringLiteral("%1 is refused: %2").arg(jobs[i].id.toString(), starts[i].refusal));
            drop(jobs[i], refusedRecord(jobs[i], jobs[i].spec, starts[i].refusal));
        } else if (!starts[i].trouble.isEmpty()) {
            qCInfo(lcClaimer, "%s is given back: %s", jobs[i].id.bytes().constData(), qPrintable(starts[i].trouble));
            drop(jobs[i], std::nullopt);
        } else {
            jobs[i].noted = std::move(starts[i].noted);
            mayBegin.push_back(std::move(jobs[i]));
        }
    }
    co_return mayBegin;
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
        co_await m_cluster.zk.connected();
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
        transaction.check(m_cluster.layout.queue(jobs.front().id.queue), *settings);
    const int first = settings ? 1 : 0; // of the claims' operations
    for (const ClaimedJob &job : jobs) {
        const QByteArray data = job.pending ? jobs::noted(job.stored, &jobs::JobNotes::countPending) : job.stored;
        transaction.set(m_cluster.layout.job(job.id.queue, job.entry), data, job.attempts.claimVersion - 1)
            .create(m_cluster.layout.claim(job.id), claimOf(job, m_worker), zk::CreateMode::Ephemeral);
    }
    const zk::ServerClock::Instant sent = m_cluster.zk.loop().wallClock();
    const Answer<zk::Committed> committed = co_await m_cluster.zk.commit(transaction);
    if (committed.ok()) {
        const zk::ServerClock::Instant stamped(committed->results[settings ? 1 : 0].stat.mtime);
        if (m_clock)
            m_clock->measured(sent, m_cluster.zk.loop().wallClock(), stamped);
        for (std::size_t i = 0; i < jobs.size(); ++i)
            jobs[i].claimZxid = committed->results[(settings ? 1 : 0) + i * OperationsPerClaim].stat.mzxid;
        co_return true;
    }
    const std::optional<std::size_t> failed = committed->refusedAt();
    if (!failed)
        committed.require();
    const int refused = static_cast<int>(*failed) - first;
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
    const Answer<zk::Nothing> synced = co_await Persistent(m_cluster.zk).sync(m_cluster.layout.claims());
    std::vector<zk::Path> paths;
    for (const ClaimedJob &job : jobs)
        paths.push_back(m_cluster.layout.claim(job.id));
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    std::vector<ClaimedJob> own;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Answer<zk::Node> &claim = nodes[i];
        if (!claim.ok() || claim->stat.ephemeralOwner != m_cluster.zk.sessionId() || !isClaimOf(*claim, jobs[i]))
            continue;
        jobs[i].claimZxid = claim->stat.czxid;
        own.push_back(std::move(jobs[i]));
    }
    jobs = std::move(own);
}

// If it cannot, it notes why.
async::Task<void> Claimer::end(JobEnding ending, Candidates &found)
{
    const QueueEntry entry = ending.entry;
    const Ended ended = co_await endUnclaimed(m_cluster, std::move(ending));
    if (ended == Ended::Blocked)
        found.blocked.push_back(entry);
}

} // namespace drover::workers
