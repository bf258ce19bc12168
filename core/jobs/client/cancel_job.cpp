#include "jobs/client/cancel_job.h"

#include "jobs/audit/audit_note.h"
#include "jobs/client/job_requirements.h"
#include "jobs/client/reposition.h"
#include "recipes/blocks/persistent.h"

namespace drover::jobs {

using zk::Answer;
using zk::Code;

namespace {

// Its worker may be about to end it: then the transaction that ends it carries the version that this one makes.
void askWorker(zk::Transaction &transaction, const Layout &layout, const JobView &job)
{
    Claim claim = job.claim.value_or(Claim());
    claim.cancelled = true;
    transaction.set(layout.job(job.id.queue, *job.entry), noted(job.stored, &JobNotes::markCancelled), job.version)
        .set(layout.claim(job.id), claim.encode(), job.claim ? job.claimVersion : zk::AnyVersion);
}

void endNow(zk::Transaction &transaction, const Layout &layout, const JobView &job, const QString &reason,
            std::chrono::milliseconds now)
{
    const JobSpec spec = job.spec.value_or(JobSpec());
    const qint32 claims = spec.array ? 0 : job.version;
    FinalRecord record = FinalRecord::withoutRun(job.id, spec, FinalRecord::Outcome::Cancelled, reason, claims, now);
    if (spec.array && spec.gang == 0)
        record.neverMade.append(0, spec.array->count() - 1);
    record.keepSigned(job.stored, job.entry->priority);
    transaction.remove(layout.job(job.id.queue, *job.entry), job.version).create(layout.done(job.id), record.encode());
}

// One that is held goes back among those that the master looks at.
void markArrayCancelled(zk::Transaction &transaction, const Layout &layout, const JobView &array)
{
    const QByteArray marked = noted(array.stored, &JobNotes::markCancelled);
    QueueEntry entry = *array.entry;
    entry.jobClass = QueueEntry::Class::Array;
    if (entry == *array.entry)
        tellMaster(transaction.set(layout.job(array.id.queue, entry), marked, array.version), layout, array.id.queue);
    else
        reposition(transaction, layout, array.id.queue, *array.entry, entry, array.version, marked);
}

bool hasBegun(const JobView &job)
{
    return job.progress && job.progress->begun();
}

bool hasWorker(const JobView &job)
{
    return job.claimed && job.spec; // what cannot be read runs nowhere
}

// For the record of one that is not running.
QString reasonFor(const JobView &job)
{
    if (!job.spec)
        return QStringLiteral("cancelled; its specification could not be read");
    return reasonOfCancel(*job.spec, job.spec->array ? 0 : job.version); // an array's version counts no attempts
}

async::Task<CancelResult> resultOf(Cluster cluster, JobView job)
{
    if (!hasBegun(job))
        co_return hasWorker(job) ? CancelResult::Asked : CancelResult::Cancelled;
    const Answer<zk::Stat> master = co_await recipes::Persistent(cluster.zk).exists(cluster.layout.master());
    co_return master->numChildren > 0 ? CancelResult::Marked : CancelResult::MarkedWithoutMaster;
}

// With a node in cancels/ for the master. Whether it was carried out; not if the job has moved on, or there is no such
// directory yet.
async::Task<bool> commitForMaster(Cluster cluster, zk::Transaction transaction, JobId id, std::optional<AuditNote> note)
{
    zk::Transaction telling = transaction;
    telling.create(cancelNotes(cluster.layout) / id.bytes(), {});
    const Answer<zk::Committed> notified = co_await commitNoted(cluster, telling, note);
    if (notified.ok() || notified->refusedAt() != transaction.size())
        co_return notified.ok();
    if (notified.is(Code::NoNode)) {
        co_await cluster.zk.ensurePath(cancelNotes(cluster.layout));
        co_return false;
    }
    const Answer<zk::Committed> committed = co_await commitNoted(cluster, transaction, note); // it is there
    co_return committed.ok();
}

// What it came to; nothing if the job has moved on since `job` was read.
async::Task<std::optional<CancelResult>> cancelOnce(Cluster cluster, JobView job, std::optional<AuditNote> note)
{
    zk::Transaction transaction;
    const bool known = job.spec && job.spec->notes.cancelled && (hasWorker(job) || hasBegun(job));
    if (hasBegun(job)) {
        co_await cluster.zk.ensurePath(cluster.layout.waiting(job.id.queue));
        markArrayCancelled(transaction, cluster.layout, job);
    } else {
        addCancel(transaction, cluster.layout, job, reasonFor(job), cluster.zk.loop().wallClock());
    }
    if (!known && hasWorker(job) && !hasBegun(job)) {
        const bool asked = co_await commitForMaster(cluster, transaction, job.id, note);
        if (!asked)
            co_return std::nullopt;
    } else if (!known) {
        const Answer<zk::Committed> committed = co_await commitNoted(cluster, transaction, note);
        if (committed.is(Code::NotEmpty)) // looking again would not help
            throw HasChildren(cluster.layout, job, "cancelled");
        if (!committed.ok())
            co_return std::nullopt;
    }
    co_return co_await resultOf(cluster, std::move(job));
}

} // namespace

zk::Path cancelNotes(const Layout &layout)
{
    return layout.cancels();
}

QString reasonOfCancel(const JobSpec &spec, qint32 version)
{
    if (spec.attempts(version).number() > 0)
        return QStringLiteral("cancelled while it waited to be tried again");
    if (spec.notes.returned > 0)
        return QStringLiteral("cancelled while it waited"); // what is requeued has run, and counts as given back
    return QStringLiteral("cancelled before it ran");
}

void addCancel(zk::Transaction &transaction, const Layout &layout, const JobView &job, const QString &reason,
               std::chrono::milliseconds now)
{
    if (hasWorker(job))
        askWorker(transaction, layout, job);
    else
        endNow(transaction, layout, job, reason, now);
}

namespace {

async::Task<CancelResult> cancelNoted(Cluster cluster, JobId id, std::optional<AuditNote> note)
{
    for (;;) {
        try {
            const JobView job = co_await lookUp(cluster, id);
            if (isFinal(job.state))
                throw WrongState(
                    QStringLiteral("job %1 has already ended (%2)").arg(id.toString(), stateName(job.state)));
            if (job.newerFormat) // its worker may know it, and an array its tasks
                throw WrongState(QStringLiteral("job %1 was not cancelled: %2").arg(id.toString(), job.malformed));
            const std::optional<CancelResult> result = co_await cancelOnce(cluster, job, note);
            if (result)
                co_return *result;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
}

} // namespace

async::Task<CancelResult> cancel(Cluster cluster, JobId id)
{
    const AuditNote note(cluster, AuditAction::JobCancelled, id.toString());
    const CancelResult result = co_await cancelNoted(cluster, id, note);
    co_return result;
}

async::Task<bool> cancelIfThere(Cluster cluster, JobId id)
{
    try {
        co_await cancelNoted(std::move(cluster), id, std::nullopt);
    } catch (const NotFound &) {
    } catch (const HasChildren &) {
        co_return false;
    } catch (const WrongState &) {
        // It has ended.
    }
    co_return true;
}

async::Task<qint32> cancelUnexpandedTasks(Cluster cluster, JobId array, qint32 first, qint32 last)
{
    const AuditNote note(cluster, AuditAction::JobCancelled,
                         QStringLiteral("%1.%2..%3").arg(array.toString()).arg(first).arg(last));
    for (;;) {
        try {
            const JobView job = co_await lookUp(cluster, array);
            if (!job.progress || job.spec->notes.cancelled)
                co_return 0;
            if (job.spec->gang > 0)
                throw WrongState(QStringLiteral("job %1 is a gang, whose members run together: cancel the gang")
                                     .arg(array.toString()));
            ArrayProgress progress = *job.progress;
            const qint32 skipped = progress.skipIndices(first, last, *job.spec->array);
            if (progress == *job.progress)
                co_return skipped;
            if (progress.skipped.size() > ArrayProgress::MaxSkipped)
                throw WrongState(QStringLiteral("array %1 has %2 ranges of cancelled tasks to come, the most there "
                                                "can be: cancel larger ranges, or the array")
                                     .arg(array.toString())
                                     .arg(ArrayProgress::MaxSkipped));
            const zk::Path path = cluster.layout.job(array.queue, *job.entry);
            const QByteArray data = progress.mergedInto(job.stored);
            zk::Transaction write;
            write.set(path, data, job.version);
            const Answer<zk::Committed> written = co_await commitNoted(cluster, write, note);
            if (written.ok())
                co_return skipped;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
}

} // namespace drover::jobs
