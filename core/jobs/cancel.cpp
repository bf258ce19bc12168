#include "jobs/cancel.h"

namespace drover::jobs {

using zk::Answer;

namespace {

// Its worker may be about to end it: then the transaction that ends it carries the version that this one makes.
zk::Transaction askWorker(const Layout &layout, const JobView &job)
{
    Claim claim = job.claim.value_or(Claim());
    claim.cancelled = true;
    return zk::Transaction()
        .set(layout.job(job.id.queue, *job.entry), JobSpec::markCancelled(job.stored), job.version)
        .set(layout.claim(job.id), claim.encode(), job.claim ? job.claimVersion : zk::AnyVersion);
}

zk::Transaction endNow(const Layout &layout, const JobView &job)
{
    const JobSpec spec = job.spec.value_or(JobSpec());
    const FinalRecord record =
        FinalRecord::withoutRun(job.id, spec, FinalRecord::Outcome::Cancelled,
                                QStringLiteral("cancelled before it ran"), spec.latestClaim(job.version));
    return zk::Transaction()
        .remove(layout.job(job.id.queue, *job.entry), job.version)
        .create(layout.done(job.id), record.encode());
}

// What it came to; nothing if the job has moved on since `job` was read.
async::Task<std::optional<CancelResult>> cancelOnce(zk::Coordinator &zk, Layout layout, JobView job)
{
    const bool running = job.state == JobState::Running && job.spec; // what cannot be read runs nowhere
    if (running && job.spec->cancelled)
        co_return CancelResult::Asked;
    const zk::Transaction transaction = running ? askWorker(layout, job) : endNow(layout, job);
    const Answer<zk::Committed> committed = co_await zk.commit(transaction);
    if (!committed.ok())
        co_return std::nullopt;
    co_return running ? CancelResult::Asked : CancelResult::Cancelled;
}

} // namespace

async::Task<CancelResult> cancel(zk::Coordinator &zk, Layout layout, JobId id)
{
    bool uncertain = false;
    for (;;) {
        try {
            const JobView job = co_await lookUp(zk, layout, id);
            if (uncertain && job.state == JobState::Cancelled)
                co_return CancelResult::Cancelled;
            if (isFinal(job.state))
                throw WrongState(
                    QStringLiteral("job %1 has already ended (%2)").arg(id.toString(), stateName(job.state)));
            const std::optional<CancelResult> result = co_await cancelOnce(zk, layout, job);
            if (result)
                co_return *result;
        } catch (const zk::ConnectionLoss &) {
            uncertain = true;
        }
        co_await zk.connected();
    }
}

} // namespace drover::jobs
