#include "jobs/wait.h"

namespace drover::jobs {

using zk::Answer;

namespace {

// Returns when the node is there, or at once if it is.
async::Task<void> waitForNode(zk::Coordinator &zk, zk::Path path)
{
    for (;;) {
        try {
            zk::Watch watch;
            const Answer<zk::Stat> stat = co_await zk.exists(path, watch);
            if (stat.ok())
                co_return;
            const async::Future<zk::WatchEvent> fired = watch.fired();
            co_await fired;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

async::Task<JobView> lookUpPersistently(zk::Coordinator &zk, Layout layout, JobId id)
{
    for (;;) {
        try {
            JobView view = co_await lookUp(zk, layout, id);
            co_return view;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace

async::Task<FinalRecord> waitForEnd(zk::Coordinator &zk, Layout layout, JobId id)
{
    JobView view = co_await lookUpPersistently(zk, layout, id);
    if (!isFinal(view.state)) {
        co_await waitForNode(zk, layout.done(id));
        view = co_await lookUpPersistently(zk, layout, id);
    }
    if (!view.record)
        throw Malformed(QStringLiteral("the final record of %1 is malformed: %2").arg(id.toString(), view.malformed));
    co_return *view.record;
}

async::Task<JobView> waitForStart(zk::Coordinator &zk, Layout layout, JobId id)
{
    JobView view = co_await lookUpPersistently(zk, layout, id);
    while (!isFinal(view.state) && view.state != JobState::Running) {
        zk::Watch claimed;
        zk::Watch ended;
        try {
            const auto lookingAtClaim = zk.exists(layout.claim(id), claimed);
            const auto lookingAtDone = zk.exists(layout.done(id), ended);
            const Answer<zk::Stat> claim = co_await lookingAtClaim;
            const Answer<zk::Stat> done = co_await lookingAtDone;
            if (!claim.ok() && !done.ok()) {
                const async::Future<zk::WatchEvent> onClaim = claimed.fired();
                const async::Future<zk::WatchEvent> onEnd = ended.fired();
                co_await async::eitherReady(onClaim, onEnd);
            }
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
        view = co_await lookUpPersistently(zk, layout, id);
    }
    co_return view;
}

} // namespace drover::jobs
