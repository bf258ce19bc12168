#include "app/cluster/schedule_json.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"

namespace drover::app {

namespace {

async::Task<int> pause(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::pauseSchedule(cluster, name);
    co_return ExitOk;
}

async::Task<int> resume(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::resumeSchedule(cluster, name);
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
