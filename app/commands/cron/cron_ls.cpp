#include "app/cluster/schedule_json.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::vector<jobs::StoredSchedule> schedules = co_await jobs::listSchedules(cluster);
    QList<QJsonObject> rows;
    for (const jobs::StoredSchedule &stored : schedules)
        rows.append(scheduleJson(stored, context.loop().wallClock()));
    context.out().list("schedules", ScheduleListColumns, rows);
    co_return ExitOk;
}

} // namespace

Command cronLs()
{
    return {.name = "cron ls",
            .summary = "List the jobs that recur",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover cron ls"},
            .run = execute};
}

} // namespace drover::app
