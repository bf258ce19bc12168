#include "jobs/cancel.h"

#include <QDateTime>

namespace drover::jobs {

using zk::Answer;

namespace {

QByteArray cancelledRecord(const JobView &job)
{
    FinalRecord record = job.spec ? FinalRecord::of(job.id, *job.spec) : FinalRecord();
    record.id = job.id;
    record.outcome = FinalRecord::Outcome::Cancelled;
    record.attempt = job.attempts;
    record.reason = QStringLiteral("cancelled before it ran");
    record.finishedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    return record.encode();
}

// True if it was carried out; false if the job has moved on since `job` was read.
async::Task<bool> cancelOnce(zk::Coordinator &zk, Layout layout, JobView job)
{
    if (job.state == JobState::Running) {
        Claim claim = job.claim.value_or(Claim());
        claim.cancelled = true;
        zk::Transaction ask;
        ask.check(layout.job(job.id.queue, *job.entry), job.attempts).set(layout.claim(job.id), claim.encode());
        const Answer<zk::Committed> asked = co_await zk.commit(ask);
        co_return asked.ok();
    }
    zk::Transaction transaction;
    transaction.remove(layout.job(job.id.queue, *job.entry), job.attempts)
        .create(layout.done(job.id), cancelledRecord(job));
    const Answer<zk::Committed> committed = co_await zk.commit(transaction);
    co_return committed.ok();
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
            const bool done = co_await cancelOnce(zk, layout, job);
            if (done)
                co_return job.state == JobState::Running ? CancelResult::Asked : CancelResult::Cancelled;
        } catch (const zk::ConnectionLoss &) {
            uncertain = true;
        }
        co_await zk.connected();
    }
}

} // namespace drover::jobs
