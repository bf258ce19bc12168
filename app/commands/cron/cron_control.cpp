#include "app/cluster/schedule_json.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"

namespace drover::app {

namespace {

async::Task<int> control(Context &context, async::Task<void> (*act)(jobs::Cluster cluster, QByteArray name))
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await act(cluster, name);
    co_return ExitOk;
}

// Adds what these commands have in common.
Command controlCommand(Command own)
{
    own.takes = {{CompletionKind::Schedule}};
    own.needs = {{trust::Role::Operate}};
    own.check = "drover cron ls";
    own.exits = {{"3", "there is no such schedule"}};
    return own;
}

} // namespace

Command cronPause()
{
    return controlCommand({.name = "cron pause",
                           .synopsis = "[OPTIONS] NAME",
                           .summary = "Submit no more of a job that recurs until it is resumed",
                           .examples = {"drover cron pause nightly"},
                           .run = [](Context &context) { return control(context, jobs::pauseSchedule); }});
}

Command cronResume()
{
    return controlCommand({.name = "cron resume",
                           .synopsis = "[OPTIONS] NAME",
                           .summary = "Go on with a job that was paused, from its next tick on",
                           .examples = {"drover cron resume nightly"},
                           .run = [](Context &context) { return control(context, jobs::resumeSchedule); }});
}

Command cronRm()
{
    return controlCommand({.name = "cron rm",
                           .synopsis = "[OPTIONS] NAME",
                           .summary = "Remove a job that recurs",
                           .details = "What it has submitted already is left alone: drover cancel ID stops that.",
                           .examples = {"drover cron rm nightly"},
                           .run = [](Context &context) { return control(context, jobs::removeSchedule); }});
}

} // namespace drover::app
