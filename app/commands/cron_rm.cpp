#include "app/commands/commands.h"
#include "app/context.h"
#include "app/schedule_json.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    zk::Coordinator *const zk = co_await context.openCluster();
    co_await jobs::removeSchedule(*zk, context.layout(), name);
    co_return ExitOk;
}

} // namespace

Command cronRm()
{
    return {.name = "cron rm",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Remove a job that recurs",
            .details = "What it has submitted already is left alone: drover cancel ID stops that.",
            .takes = {{ValueKind::Schedule}},
            .minArguments = 1,
            .maxArguments = 1,
            .check = "drover cron ls",
            .run = execute};
}

} // namespace drover::app
