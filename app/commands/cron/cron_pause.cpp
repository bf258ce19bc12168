#include "app/cluster/schedule_json.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"

namespace drover::app {

namespace {

async::Task<int> pause(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    const auto edit = [](jobs::ScheduleEntry &entry) { entry.paused = true; };
    co_await jobs::editSchedule(cluster, name, jobs::AuditAction::CronPaused, edit);
    co_return ExitOk;
}

// What came while it was paused was not wanted: nothing is left to be caught up on.
async::Task<int> resume(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::chrono::milliseconds now = context.loop().wallClock();
    const auto edit = [now](jobs::ScheduleEntry &entry) {
        if (entry.paused)
            entry.lastTick = std::max(entry.lastTick, now);
        entry.paused = false;
    };
    co_await jobs::editSchedule(cluster, name, jobs::AuditAction::CronResumed, edit);
    co_return ExitOk;
}

} // namespace

Command cronPause()
{
    return {.name = "cron pause",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Submit no more of a job that recurs until it is resumed",
            .takes = {{CompletionKind::Schedule}},
            .argumentCount = {1, 1},
            .needs = {{trust::Role::Operate}},
            .check = "drover cron ls",
            .examples = {"drover cron pause nightly"},
            .exits = {{"3", "there is no such schedule"}},
            .run = pause};
}

Command cronResume()
{
    return {.name = "cron resume",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Go on with a job that was paused, from its next tick on",
            .takes = {{CompletionKind::Schedule}},
            .argumentCount = {1, 1},
            .needs = {{trust::Role::Operate}},
            .check = "drover cron ls",
            .examples = {"drover cron resume nightly"},
            .exits = {{"3", "there is no such schedule"}},
            .run = resume};
}

} // namespace drover::app
