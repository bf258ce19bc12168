#include "app/commands/commands.h"
#include "app/failure.h"
#include "app/job_file_json.h"
#include "app/job_tally.h"
#include "app/ordered_tasks.h"
#include "app/past_jobs.h"
#include "app/submission.h"
#include "app/what_to_repeat.h"
#include "jobs/submitter.h"

#include <algorithm>

namespace drover::app {

namespace {

async::Task<jobs::JobSpec> jobOf(Context &context, zk::Coordinator &zk, jobs::Repeat repeat)
{
    const jobs::JobView view = co_await lookUpAnywhere(context, zk, repeat.id);
    co_return resubmitted(jobs::jobToRepeat(view, repeat), context.arguments());
}

async::Task<QJsonObject> resubmitOne(Context &context, zk::Coordinator &zk, jobs::Submitter &submitter,
                                     jobs::Repeat repeat)
{
    jobs::JobId made;
    try {
        jobs::JobSpec job = co_await jobOf(context, zk, repeat);
        co_await requireDependencies(context, zk, job);
        made = co_await submitNamed(context, submitter, std::move(job));
    } catch (const zk::SessionLost &error) { // submit() says SubmittedOrNot of what it has sent
        throw CommandError(
            ExitUnreachable,
            QStringLiteral("what is not listed here was not resubmitted: %1").arg(QString::fromUtf8(error.what())));
    }
    QJsonObject row{{QStringLiteral("id"), repeat.toString()},
                    {QStringLiteral("result"), QStringLiteral("resubmitted")},
                    {QStringLiteral("new_id"), made.toString()}};
    if (repeat.was)
        row.insert(QStringLiteral("from"), jobs::stateName(*repeat.was));
    if (repeat.tasks)
        row.insert(QStringLiteral("tasks"), repeat.tasks->count());
    co_return row;
}

async::Task<int> resubmitAll(Context &context, zk::Coordinator &zk, Repeats repeats)
{
    jobs::Submitter submitter(zk, context.layout(), context.clusterConfig(), whenFull(context));
    submitter.leaveToSession();
    JobTally tally;
    for (const Failure &failure : repeats.refused)
        tally.add({.failure = failure});
    OrderedTasks<Acted> tasks(context.loop(), [&tally](Acted acted) { tally.add(std::move(acted)); });
    for (const jobs::Repeat &repeat : repeats.all)
        co_await tasks.add(outcomeOf(repeat.toString(), resubmitOne(context, zk, submitter, repeat), true));
    co_await tasks.finish();
    const bool idOnly = context.arguments().has("id-only");
    co_return tally.finish(context.out(), "resubmitted", idOnly ? JobTally::Print::NewIds : JobTally::Print::Rows);
}

// What would be submitted.
async::Task<int> show(Context &context, zk::Coordinator &zk, jobs::Repeat repeat)
{
    const jobs::JobSpec job = co_await jobOf(context, zk, repeat);
    context.out().document(jobFileJson(job));
    co_return ExitOk;
}

void requireOptionsFit(const Arguments &arguments, const Repeats &repeats)
{
    const std::size_t count = repeats.all.size() + repeats.refused.size();
    for (const char *ofOne : {"dry-run", "dedupe"}) {
        if (arguments.has(ofOne) && count > 1)
            throw UsageError(
                QStringLiteral("--%1 is for one job, and these are %2").arg(QLatin1String(ofOne)).arg(count));
    }
    const bool ofTasks =
        std::any_of(repeats.all.begin(), repeats.all.end(), [](const jobs::Repeat &r) { return r.tasks; });
    for (const char *ofWhole : {"array", "gang"}) {
        if (arguments.has(ofWhole) && ofTasks)
            throw UsageError(
                QStringLiteral("--%1 is for whole jobs, and tasks of an array are resubmitted as these tasks")
                    .arg(QLatin1String(ofWhole)));
    }
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    RepeatedNames names = RepeatedNames::parse(arguments.positional());
    names.failedAlone = arguments.has("failed");
    names.mayRun = arguments.has("dry-run");
    if (!names.mayRun)
        requireValidOptions(arguments);
    zk::Coordinator *const zk = co_await context.openCluster();
    Repeats repeats = co_await findRepeats(context, *zk, names);
    if (repeats.all.empty() && repeats.refused.empty())
        throw CommandError(ExitWrongState,
                           names.failedAlone ? QStringLiteral("none of these jobs has failed")
                                             : QStringLiteral("none of these jobs has ended"));
    requireOptionsFit(arguments, repeats);
    int code = ExitOk;
    if (names.mayRun && !repeats.all.empty())
        code = co_await show(context, *zk, repeats.all.front());
    else
        code = co_await resubmitAll(context, *zk, std::move(repeats));
    co_return code;
}

} // namespace

Command resubmit()
{
    return {.name = "resubmit",
            .synopsis = "[OPTIONS] ID | FIRST..LAST...",
            .summary = "Submit jobs that have ended again, as they were or with changes",
            .details =
                "Each becomes a new job with the command, the environment and all else of the old one, also of\n"
                "one that is in the history alone; options win: drover resubmit --memory 2G ID. What it waited\n"
                "for, its start time, its hold and its dedupe key are not repeated. A task (ID.7) becomes an\n"
                "array of that one task, several tasks of an array another array of these. Ranges leave out what\n"
                "has not ended.",
            .options = jobOptions()
                + QList{option("failed", "only what has failed, and of arrays only the tasks that have"),
                        option("id-only", "print the new ids alone"), waitForRoomOption(),
                        option("dry-run", "print the job as a job file in JSON and submit nothing")},
            .takes = {{ValueKind::EndedJob}},
            .minArguments = 1,
            .maxArguments = Command::Unlimited,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
