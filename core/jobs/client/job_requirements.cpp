#include "jobs/client/job_requirements.h"

namespace drover::jobs {

namespace {

QString idOf(const JobView &job)
{
    return job.id.toString();
}

bool isHeld(const JobView &job)
{
    return job.state == JobState::Held;
}

void requireUnfinished(const JobView &job)
{
    if (isFinal(job.state))
        throw WrongState(QStringLiteral("job %1 has already ended (%2)").arg(idOf(job), stateName(job.state)));
    if (job.newerFormat)
        throw WrongState(QStringLiteral("job %1 was left as it is: %2").arg(idOf(job), job.malformed));
    if (!job.spec)
        throw WrongState(
            QStringLiteral("the specification of job %1 cannot be read; drover cancel removes it").arg(idOf(job)));
    if (job.spec->notes.cancelled)
        throw WrongState(QStringLiteral("job %1 is being cancelled").arg(idOf(job)));
}

void requireUnclaimed(const JobView &job)
{
    requireUnfinished(job);
    if (isBegunArray(job))
        throw WrongState(
            QStringLiteral("array %1 has begun; drover hold stops it, drover cancel ends it").arg(idOf(job)));
    if (job.claimed && !isPending(job))
        throw WrongState(
            QStringLiteral("job %1 runs; drover requeue puts it back into its queue, drover cancel ends it")
                .arg(idOf(job)));
}

} // namespace

HasChildren::HasChildren(const Layout &layout, const JobView &job, const char *change)
    : WrongState(
        QStringLiteral("job %1 was not %2: another program has made a znode below its own, %3; delete that first")
            .arg(idOf(job), QLatin1StringView(change), layout.job(job.id.queue, *job.entry).toString()))
{
}

bool isPending(const JobView &job)
{
    return job.claim && job.claim->pending && job.entry;
}

bool isBegunArray(const JobView &array)
{
    return array.progress && array.progress->begun() && array.entry->jobClass == QueueEntry::Class::Array;
}

void requireUnclaimedOrArray(const JobView &job)
{
    if (isBegunArray(job))
        requireUnfinished(job);
    else
        requireUnclaimed(job);
}

void requireClaimed(const JobView &job)
{
    requireUnfinished(job);
    if (isBegunArray(job))
        throw WrongState(QStringLiteral("%1 is an array: name its tasks, %1.INDEX").arg(idOf(job)));
    if (!job.claimed)
        throw WrongState(QStringLiteral("job %1 does not run (%2)").arg(idOf(job), stateName(job.state)));
    if (!job.claim)
        throw WrongState(QStringLiteral("the claim of job %1 cannot be read").arg(idOf(job)));
}

void requireHoldable(const JobView &job)
{
    requireUnclaimedOrArray(job);
    if (isHeld(job))
        throw WrongState(QStringLiteral("job %1 is held already, by %2").arg(idOf(job), job.spec->notes.heldBy));
}

void requireReleasable(const JobView &job)
{
    requireUnclaimedOrArray(job);
    if (!isHeld(job))
        throw WrongState(QStringLiteral("job %1 is not held (%2)").arg(idOf(job), stateName(job.state)));
}

void requireMovable(const JobView &job, const QByteArray &queue)
{
    requireUnclaimed(job);
    if (job.id.queue == queue)
        throw WrongState(QStringLiteral("job %1 is in queue %2 already").arg(idOf(job), QString::fromLatin1(queue)));
    if (job.id.isTask())
        throw WrongState(
            QStringLiteral("job %1 is a task of array %2 and stays with it").arg(idOf(job), job.id.array().toString()));
    if (job.spec->array && job.version > 0)
        throw WrongState(QStringLiteral("array %1 has begun; drover cancel ends it").arg(idOf(job)));
}

} // namespace drover::jobs
