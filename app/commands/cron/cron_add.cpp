#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "app/cluster/schedule_json.h"
#include "app/commands/commands.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/dependencies.h"
#include "app/submission/submission.h"
#include "jobs/client/own_clock.h"

namespace drover::app {

namespace {

constexpr std::size_t TicksOfDryRun = 5;

template <typename Policy>
Policy policyOf(const Arguments &arguments, const char *option, Policy (*parse)(const QString &), Policy fallback)
{
    if (!arguments.has(option))
        return fallback;
    try {
        return parse(arguments.value(option));
    } catch (const jobs::InvalidSchedule &error) {
        throw UsageError(QStringLiteral("--%1: %2").arg(QLatin1String(option), QString::fromUtf8(error.what())));
    }
}

jobs::ScheduleEntry entryFrom(const Arguments &arguments, const jobs::JobSpec &job)
{
    const jobs::ScheduleEntry defaults{.when = jobs::CronSchedule::parse(arguments.at(1), arguments.value("zone")),
                                       .job = job};
    if (defaults.job.notes.notBefore.count() > 0 || !defaults.job.dedupe.isEmpty())
        throw UsageError(QStringLiteral("--delay, --start-at and --dedupe are for a job that does not recur; EXPR says "
                                        "when, --overlap whether beside the one before"));
    jobs::ScheduleEntry entry = defaults;
    entry.catchUp = policyOf(arguments, "catch-up", jobs::parseCatchUp, defaults.catchUp);
    entry.overlap = policyOf(arguments, "overlap", jobs::parseOverlap, defaults.overlap);
    jobs::requireCompatible(entry.catchUp, entry.overlap);
    entry.lastTick = entry.job.submittedAt;
    return entry;
}

void print(const Context &context, const QByteArray &name, const jobs::ScheduleEntry &entry, std::size_t ticks)
{
    if (context.out().isTable()) {
        for (const std::chrono::milliseconds tick : upcomingTicks(entry, entry.lastTick, ticks))
            context.out().line(formatTick(entry, tick));
        return;
    }
    jobs::StoredSchedule stored;
    stored.name = name;
    stored.entry = entry;
    context.out().object({}, scheduleJson(stored, entry.lastTick));
}

async::Task<int> execute(Context &context)
{
    const QByteArray name = scheduleName(context.arguments());
    const jobs::JobSpec job = co_await readSpec(context.arguments(), 2);
    jobs::ScheduleEntry entry = entryFrom(context.arguments(), job);
    const QByteArray checked = entry.job.encode(); // refuses what is too large before anything is asked
    if (context.arguments().has("dry-run")) {
        print(context, name, entry, TicksOfDryRun);
        co_return ExitOk;
    }
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::requireClockToSign(cluster);
    jobs::JobSpec whole = co_await withDependencies(context, cluster, entry.job);
    entry.job = std::move(whole);
    jobs::ScheduleEntry shown = entry;
    if (context.arguments().has("replace")) {
        co_await jobs::replaceSchedule(cluster, name, entry);
        const jobs::StoredSchedule stored = co_await jobs::findSchedule(cluster, name);
        shown.paused = stored.entry && stored.entry->paused;
    } else {
        co_await jobs::addSchedule(cluster, name, entry);
    }
    if (shown.paused)
        Output::hint(QStringLiteral("schedule %1 is still paused; drover cron resume %1").arg(QString::fromUtf8(name)));
    print(context, name, shown, 1);
    co_return ExitOk;
}

} // namespace

Command cronAdd()
{
    return {
        .name = "cron add",
        .synopsis = "NAME EXPR [OPTIONS] [-- COMMAND [ARGUMENT...]]",
        .summary = "Run a job at certain times; prints the first",
        .details =
            "EXPR is a line of a crontab: minute, hour, day of month, month, day of week, as in \"30 2 * * MON-FRI\"\n"
            "or \"*/15 8-18 * * *\"; or @hourly, @daily, @weekly, @monthly, @yearly, or @every 1h30m.\n"
            "Each tick submits its job once, whatever becomes of masters and servers meanwhile.\n\n"
            "When the clocks change, a job at a fixed hour runs once: at the end of the gap if its time is skipped,\n"
            "the first time if it comes twice. One whose hour is a * runs whenever the clock shows its minute.\n\n"
            "--catch-up is about ticks when no master was there: none of them is run (but the last one, up to a\n"
            "minute late), only the last one, or all of them, the last 100 at most. --overlap is about ticks when\n"
            "the job of the one before has not ended: both run, the new one is skipped, or it replaces the other.\n\n"
            "--replace gives all of it anew, also the options; the schedule stays paused if it was. With other times\n"
            "these begin now. A tick that is due is run once, with the same times by the new job.\n\n"
            "EXPR is meant in UTC unless --zone says otherwise, because any machine may be master; --start-at of\n"
            "drover submit is local time. The printed time has its offset.\n"
            "The other options are those of drover submit; --start-at, --delay and --dedupe are refused.",
        .options = QList{option("zone", "time zone that EXPR is meant in (default: UTC, not the local one)", "ZONE"),
                         option("catch-up", "ticks when no master was there (default: one)", "none|one|all"),
                         option("overlap", "when the job before has not ended (default: allow)", "allow|skip|replace"),
                         option("replace", "change the schedule of that name, if there is one, and keep its LAST"),
                         option("dry-run", "print the next five times and add nothing")}
            + submissionOptions(),
        .takes = {{CompletionKind::Schedule}, {}, {CompletionKind::Program}},
        .argumentCount = {2, Command::Unlimited},
        .needs = {{std::nullopt, QStringLiteral("--dry-run")}, {trust::Role::Operate, {}, Need::Signs}},
        .check = "drover cron ls",
        .examples = {"drover cron add nightly \"0 3 * * *\" --zone Europe/Berlin -- ./backup",
                     "drover cron add check \"@every 10m\" --overlap skip -- ./check"},
        .exits = {{"3", "there is no such queue, or no job that --after names"},
                  {"4",
                   "there is a schedule of that name (--replace), or this machine's clock is more than 5 minutes "
                   "ahead of ZooKeeper's"}},
        .run = execute};
}

} // namespace drover::app
