#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/cluster/schedule_json.h"
#include "app/cluster/schedule_trouble.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/submission/job_fields.h"
#include "app/submission/submission.h"
#include "jobs/client/own_clock.h"
#include "jobs/client/prover.h"
#include "jobs/client/submitter.h"

namespace drover::app {

namespace {

async::Task<int> listSchedules(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::vector<jobs::StoredSchedule> schedules = co_await jobs::listSchedules(cluster);
    QList<QJsonObject> rows;
    for (const jobs::StoredSchedule &stored : schedules)
        rows.append(scheduleJson(stored, context.loop().wallClock()));
    context.out().list("schedules", ScheduleListColumns, rows);
    co_return ExitOk;
}

constexpr std::size_t TicksShown = 5;

async::Task<int> showSchedule(Context &context)
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

async::Task<int> runSchedule(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::requireClockToSign(cluster);
    const jobs::StoredSchedule stored = co_await jobs::findSchedule(cluster, name);
    if (!stored.entry)
        throw jobs::WrongState(
            QStringLiteral("schedule %1 is malformed: %2").arg(QString::fromUtf8(name), stored.malformed));
    jobs::Prover prover(cluster); // who runs it signs it
    co_await prover.requireSchedule(stored);
    jobs::JobSpec spec = stored.entry->job;
    spec.submittedAt = context.loop().wallClock();
    jobs::Submitter submitter(cluster, context.clusterConfig());
    submitter.leaveToSession();
    const jobs::JobId id = co_await submitJob(context, submitter, spec);
    printSubmitted(context, id);
    co_return ExitOk;
}

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

Command cronLs()
{
    return {.name = "cron ls",
            .summary = "List the jobs that recur",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover cron ls"},
            .run = listSchedules};
}

Command cronShow()
{
    return {.name = "cron show",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Show a job that recurs, and when it runs next",
            .takes = {{CompletionKind::Schedule}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover cron show nightly"},
            .exits = {{"3", "there is no such schedule"}},
            .run = showSchedule};
}

Command cronRun()
{
    return {.name = "cron run",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Submit a job that recurs now, once, and print its id",
            .details =
                "Its ticks stay as they are, also while it is paused; the policy for overlaps does not count this\n"
                "job, and LAST and LAST JOB of cron ls do not show it.",
            .options = {option("id-only", "print nothing but the id, whatever -o says")},
            .takes = {{CompletionKind::Schedule}},
            .needs = {{trust::Role::Submit, {}, Need::Signs}},
            .check = "drover ls --all",
            .examples = {"drover cron run nightly"},
            .exits = {{"3", "there is no such schedule"},
                      {"4",
                       "the schedule cannot be read, or this machine's clock is more than 5 minutes ahead of "
                       "ZooKeeper's"},
                      {"5", "in a closed cluster: no person with a valid certificate has signed it"},
                      {"7", "the queue is full"}},
            .run = runSchedule};
}

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
