#include "app/cli/units.h"
#include "app/cluster/schedule_json.h"
#include "app/cluster/schedule_trouble.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/submission/job_fields.h"

namespace drover::app {

namespace {

constexpr std::size_t TicksShown = 5;

async::Task<int> execute(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    const jobs::StoredSchedule stored = co_await jobs::findSchedule(cluster, name);
    const std::chrono::milliseconds now = context.loop().wallClock();
    const QString trouble = co_await troubleOf(cluster, context.clusterConfig(), stored, now);
    QJsonObject object = scheduleJson(stored, now);
    if (!trouble.isEmpty() && stored.entry)
        object.insert(QStringLiteral("trouble"), trouble);
    QJsonArray times;
    QList<QJsonObject> rows;
    if (stored.entry) {
        object.insert(QStringLiteral("job"), jobFileJson(stored.entry->job));
        for (const std::chrono::milliseconds tick : upcomingTicks(*stored.entry, now, TicksShown)) {
            times.append(formatTime(tick));
            rows.append({{QStringLiteral("at"), formatTick(*stored.entry, tick)},
                         {QStringLiteral("in_ms"), static_cast<qint64>((tick - now).count())}});
        }
    }
    object.insert(QStringLiteral("next"), times);
    context.out().object(ScheduleColumns, object);
    if (context.out().isTable() && !rows.isEmpty()) {
        context.out().line({});
        context.out().list("next", {{"at", "NEXT"}, {"in_ms", "IN", Column::Kind::Duration}}, rows);
    }
    co_return ExitOk;
}

} // namespace

Command cronShow()
{
    return {.name = "cron show",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Show a job that recurs, and when it runs next",
            .takes = {{CompletionKind::Schedule}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover cron show nightly"},
            .exits = {{"3", "there is no such schedule"}},
            .run = execute};
}

} // namespace drover::app
