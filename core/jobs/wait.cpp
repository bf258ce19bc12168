#include "jobs/wait.h"

namespace drover::jobs {

using zk::Answer;

namespace {

// The job was there before.
async::Task<JobView> lookUpAgain(zk::Coordinator &zk, Layout layout, JobId id, QueueEntry entry)
{
    try {
        JobView view = co_await lookUp(zk, layout, id, entry);
        co_return view;
    } catch (const NotFound &) {
        throw NotFound(
            QStringLiteral("job %1 is gone: somebody has deleted it from cluster %2, or it ended so long ago "
                           "that its record was removed; if it is still wanted, submit it again")
                .arg(id.toString(), QString::fromUtf8(layout.cluster())));
    }
}

// Returns when the job's node has gone: a child watch is silent about the claims, which change its data alone. May
// return early.
async::Task<void> untilGone(zk::Coordinator &zk, zk::Path job)
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
async::Task<void> untilChanged(zk::Coordinator &zk, zk::Path job, qint32 version)
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

} // namespace

async::Task<FinalRecord> waitForEnd(zk::Coordinator &zk, Layout layout, JobId id)
{
    JobView view = co_await lookUp(zk, layout, id);
    while (!isFinal(view.state)) {
        co_await untilGone(zk, layout.job(id.queue, *view.entry));
        view = co_await lookUpAgain(zk, layout, id, *view.entry);
    }
    if (!view.record)
        throw Malformed(QStringLiteral("the final record of %1 is malformed: %2").arg(id.toString(), view.malformed));
    co_return *view.record;
}

async::Task<JobView> waitForStart(zk::Coordinator &zk, Layout layout, JobId id)
{
    JobView view = co_await lookUp(zk, layout, id);
    while (!isFinal(view.state) && !view.claimed && view.state != JobState::Running) { // an array is never claimed
        co_await untilChanged(zk, layout.job(id.queue, *view.entry), view.version);
        view = co_await lookUpAgain(zk, layout, id, *view.entry);
    }
    co_return view;
}

} // namespace drover::jobs
