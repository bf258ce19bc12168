#include "jobs/client/wait_for_job.h"

#include "jobs/client/unmade_tasks.h"

namespace drover::jobs {

using zk::Answer;

namespace {

// The job was there before.
async::Task<JobView> lookUpAgain(Cluster cluster, JobId id, QueueEntry entry)
{
    try {
        co_return co_await lookUp(cluster, id, entry);
    } catch (const NotFound &) {
        throw NotFound(QStringLiteral("job %1 is gone: it was deleted from cluster %2, or it ended so long ago "
                                      "that its record was removed; if it is still wanted, submit it again")
                           .arg(id.toString(), QString::fromUtf8(cluster.layout.clusterName())));
    }
}

// Returns when the job's node has gone: a child watch is silent about the claims, which change its data alone. May
// return early.
async::Task<void> untilNodeGone(zk::Client &zk, zk::Path job)
{
    try {
        zk::Watch watch;
        const Answer<zk::Children> present = co_await zk.children(job, watch);
        if (present.ok()) {
            const async::Future<zk::WatchEvent> fired = watch.fired();
            co_await fired;
        }
    } catch (const zk::ConnectionLoss &) {
    }
    co_await zk.connected();
}

// Returns when the job's node, last seen at that version, has changed or gone; each claim sets it. May return early.
async::Task<void> untilChanged(zk::Client &zk, zk::Path job, qint32 version)
{
    try {
        zk::Watch watch;
        const Answer<zk::Stat> present = co_await zk.exists(job, watch);
        if (present.ok() && present->version == version) {
            const async::Future<zk::WatchEvent> fired = watch.fired();
            co_await fired;
        }
    } catch (const zk::ConnectionLoss &) {
    }
    co_await zk.connected();
}

// Whether the array of this task is still to make it; returns when the array's node has changed then.
async::Task<bool> awaitMaking(Cluster cluster, JobId task)
{
    std::optional<JobView> array;
    try {
        JobView found = co_await lookUp(cluster, task.array());
        array = std::move(found);
    } catch (const NotFound &) {
        co_return false;
    }
    if (!array->progress || !array->entry)
        co_return false;
    const std::optional<qint32> place = array->spec->array->placeOf(task.task);
    if (!place || !array->progress->isToCome(*place, array->spec->notes.cancelled))
        co_return false;
    co_await untilChanged(cluster.zk, cluster.layout.job(task.queue, *array->entry), array->version);
    co_return true;
}

// Waits for a task that its array is still to make.
async::Task<JobView> lookUpOnceMade(Cluster cluster, JobId id)
{
    bool mayBeToCome = id.isTask();
    while (mayBeToCome) {
        try {
            co_return co_await lookUp(cluster, id);
        } catch (const NotFound &) {
        }
        mayBeToCome = co_await awaitMaking(cluster, id);
    }
    JobView view = co_await lookUpEvenUnmade(cluster, id); // a task: it was made meanwhile, or never will be
    co_return view;
}

} // namespace

async::Task<FinalRecord> waitForEnd(Cluster cluster, JobId id)
{
    JobView view = co_await lookUpOnceMade(cluster, id);
    while (!isFinal(view.state)) {
        co_await untilNodeGone(cluster.zk, cluster.layout.job(id.queue, *view.entry));
        view = co_await lookUpAgain(cluster, id, *view.entry);
    }
    if (!view.record) {
        const QString what = view.newerFormat ? QStringLiteral("cannot be read here") : QStringLiteral("is malformed");
        throw Malformed(QStringLiteral("the final record of %1 %2: %3").arg(id.toString(), what, view.malformed));
    }
    co_return *view.record;
}

async::Task<JobView> waitForStart(Cluster cluster, JobId id)
{
    JobView view = co_await lookUp(cluster, id);
    while (!isFinal(view.state) && !view.claimed && view.state != JobState::Running) { // an array is never claimed
        co_await untilChanged(cluster.zk, cluster.layout.job(id.queue, *view.entry), view.version);
        view = co_await lookUpAgain(cluster, id, *view.entry);
    }
    co_return view;
}

} // namespace drover::jobs
