#include "app/cli/failure.h"
#include "app/cli/parallel_in_order.h"
#include "app/commands/commands.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/bulk_job_command.h"
#include "app/jobs/dependencies.h"
#include "app/jobs/past_reader.h"
#include "app/jobs/resubmit_selection.h"
#include "app/submission/job_fields.h"
#include "app/submission/submission.h"
#include "jobs/client/own_clock.h"
#include "jobs/client/prover.h"
#include "jobs/client/submitter.h"

#include <algorithm>

namespace drover::app {

namespace {

// Who resubmits it signs it, so it must be proven.
async::Task<jobs::JobSpec> provenJob(Context &context, jobs::Cluster cluster, PastReader &past, jobs::Prover &prover,
                                     jobs::Resubmission resubmission)
{
    const jobs::JobView view = co_await past.lookUp(cluster, resubmission.id);
    const jobs::JobSpec job = co_await prover.jobToResubmit(view, resubmission);
    co_return resubmitted(job, context.arguments());
}

async::Task<QJsonObject> resubmitOne(Context &context, jobs::Cluster cluster, PastReader &past, jobs::Prover &prover,
                                     jobs::Submitter &submitter, jobs::Resubmission resubmission)
{
    jobs::JobId made;
    try {
        const jobs::JobSpec changed = co_await provenJob(context, cluster, past, prover, resubmission);
        jobs::JobSpec job = co_await withDependencies(context, cluster, changed);
        made = co_await submitNamed(context, submitter, std::move(job));
    } catch (const zk::SessionLost &error) { // submit() says SubmittedOrNot of what it has sent
        throw CommandError(ExitUnreachable,
                           QStringLiteral("jobs that are not listed here were not resubmitted: %1")
                               .arg(QString::fromUtf8(error.what())));
    }
    const bool wasThere = submitter.foundEarlier() > 0; // --dedupe is for one job
    QJsonObject row{
        {QStringLiteral("id"), resubmission.toString()},
        {QStringLiteral("result"), wasThere ? QStringLiteral("already there") : QStringLiteral("resubmitted")},
        {QStringLiteral("new_id"), made.toString()}};
    if (resubmission.was)
        row.insert(QStringLiteral("from"), jobs::stateName(*resubmission.was));
    if (resubmission.tasks)
        row.insert(QStringLiteral("tasks"), resubmission.tasks->count());
    co_return row;
}

async::Task<int> resubmitAll(Context &context, jobs::Cluster cluster, Resubmissions resubmissions)
{
    jobs::Submitter submitter(cluster, context.clusterConfig(), whenFull(context));
    submitter.leaveToSession();
    PastReader past(context);
    jobs::Prover prover(cluster);
    JobTally tally;
    for (const Failure &failure : resubmissions.refused)
        tally.add({.failure = failure});
    ParallelInOrder<Acted> tasks(context.loop(), [&tally](Acted acted) { tally.add(std::move(acted)); });
    for (const jobs::Resubmission &resubmission : resubmissions.all)
        co_await tasks.add(outcomeOf(context, resubmission.toString(),
                                     resubmitOne(context, cluster, past, prover, submitter, resubmission), true));
    co_await tasks.finish();
    const bool idOnly = context.arguments().has("id-only");
    co_return tally.finish(context.out(), "resubmitted", idOnly ? JobTally::Print::NewIds : JobTally::Print::Rows);
}

// What would be submitted.
async::Task<int> show(Context &context, jobs::Cluster cluster, jobs::Resubmission resubmission)
{
    PastReader past(context);
    const jobs::JobView view = co_await past.lookUp(cluster, resubmission.id);
    const jobs::JobSpec job = resubmitted(jobs::jobToResubmit(view, resubmission), context.arguments());
    context.out().document(jobFileJson(job));
    co_return ExitOk;
}

async::Task<QJsonObject> look(Context &context, jobs::Cluster cluster, PastReader &past,
                              jobs::Resubmission resubmission)
{
    const jobs::JobView view = co_await past.lookUp(cluster, resubmission.id);
    const jobs::JobSpec job = resubmitted(jobs::jobToResubmit(view, resubmission), context.arguments());
    QJsonObject row{{QStringLiteral("id"), resubmission.toString()}, {QStringLiteral("name"), job.title()}};
    if (resubmission.was)
        row.insert(QStringLiteral("state"), jobs::stateName(*resubmission.was));
    if (resubmission.tasks)
        row.insert(QStringLiteral("tasks"), resubmission.tasks->count());
    co_return row;
}

// Lists the jobs that would be submitted again.
async::Task<int> preview(Context &context, jobs::Cluster cluster, ResubmitNames names, Resubmissions resubmissions)
{
    PastReader past(context);
    JobTally tally;
    for (const Failure &failure : resubmissions.refused)
        tally.add({.failure = failure});
    ParallelInOrder<Acted> tasks(context.loop(), [&tally](Acted acted) { tally.add(std::move(acted)); });
    for (const jobs::Resubmission &resubmission : resubmissions.all) {
        const bool named = std::ranges::count(names.ids, resubmission.id) > 0;
        co_await tasks.add(
            outcomeOf(context, resubmission.toString(), look(context, cluster, past, resubmission), named));
    }
    co_await tasks.finish();
    co_return tally.finish(context.out(), "listed; --dry-run submits none");
}

void requireOptionsFit(const Arguments &arguments, const Resubmissions &resubmissions)
{
    const std::size_t count = resubmissions.all.size() + resubmissions.refused.size();
    if (arguments.has("dedupe") && count > 1)
        throw UsageError(QStringLiteral("--dedupe is for one job, and these are %1").arg(count));
    const bool ofTasks =
        std::ranges::any_of(resubmissions.all, [](const jobs::Resubmission &r) { return r.tasks.has_value(); });
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
    ResubmitNames names = ResubmitNames::parse(arguments.positional());
    names.failedAlone = arguments.has("failed");
    const bool dryRun = arguments.has("dry-run");
    names.mayRun = dryRun && names.ids.size() == 1 && names.ranges.empty(); // what show() prints is a job file
    if (!dryRun)
        requireValidOptions(arguments);
    const jobs::Cluster cluster = co_await context.openCluster();
    if (!dryRun)
        co_await jobs::requireClockToSign(cluster);
    Resubmissions resubmissions = co_await findResubmissions(context, cluster, names);
    if (resubmissions.all.empty() && resubmissions.refused.empty())
        throw CommandError(ExitWrongState,
                           names.failedAlone ? QStringLiteral("none of these jobs has failed")
                                             : QStringLiteral("none of these jobs has ended"));
    requireOptionsFit(arguments, resubmissions);
    int code = ExitOk;
    if (names.mayRun && !resubmissions.all.empty())
        code = co_await show(context, cluster, resubmissions.all.front());
    else if (dryRun)
        code = co_await preview(context, cluster, std::move(names), std::move(resubmissions));
    else
        code = co_await resubmitAll(context, cluster, std::move(resubmissions));
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
                "one that is in the history alone. An option replaces the old job's value, and what no option names\n"
                "stays as it was: drover resubmit --memory 2G ID. What it waited for, its start time, its hold and\n"
                "its dedupe key are not repeated. A task (ID.7) becomes an array of that one task, several tasks of\n"
                "an array another array of these. Ranges leave out what has not ended.",
            .options = resubmitOptions()
                + QList{option("failed", "only what has failed, and of arrays only the tasks that have"),
                        option("id-only", "print the new ids alone"), waitForRoomOption(),
                        option("dry-run",
                               "print the job as a job file in JSON, or list the jobs of several ids or a "
                               "range, and submit nothing")},
            .takes = {{CompletionKind::EndedJob}},
            .argumentCount = {1, Command::Unlimited},
            .needs = {{trust::Role::Viewer, QStringLiteral("--dry-run")}, {trust::Role::Submit, {}, Need::Signs}},
            .check = "drover ls --all",
            .examples = {"drover resubmit default-42", "drover resubmit --memory 8G default-3..17",
                         "drover resubmit --failed default-42"},
            .exits = {{"3", "there is no such job or queue"},
                      {"4",
                       "no job has ended or failed, or a record is gone, or this machine's clock is more than 5 "
                       "minutes ahead of ZooKeeper's"},
                      {"5", "in a closed cluster: no person with a valid certificate has signed such a job"},
                      {"7", "the queue is full"}},
            .run = execute};
}

} // namespace drover::app
