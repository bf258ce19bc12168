#include "app/commands/commands.h"
#include "app/context.h"
#include "app/schedule_json.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const std::vector<jobs::StoredSchedule> schedules = co_await jobs::listSchedules(*zk, context.layout());
    QList<QJsonObject> rows;
    for (const jobs::StoredSchedule &stored : schedules)
        rows.append(scheduleJson(stored, context.loop().wallClock()));
    context.out().list("schedules", ScheduleListColumns, rows);
    co_return ExitOk;
}

} // namespace

Command cronLs()
{
    return {.name = "cron ls", .synopsis = "[OPTIONS]", .summary = "List the jobs that recur", .run = execute};
}

} // namespace drover::app
