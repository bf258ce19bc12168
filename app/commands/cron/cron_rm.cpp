#include "app/cluster/schedule_json.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::removeSchedule(cluster, name);
    co_return ExitOk;
}

} // namespace

Command cronRm()
{
    return {.name = "cron rm",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Remove a job that recurs",
            .details = "What it has submitted already is left alone: drover cancel ID stops that.",
            .takes = {{CompletionKind::Schedule}},
            .argumentCount = {1, 1},
            .needs = {{trust::Role::Operate}},
            .check = "drover cron ls",
            .examples = {"drover cron rm nightly"},
            .exits = {{"3", "there is no such schedule"}},
            .run = execute};
}

} // namespace drover::app
