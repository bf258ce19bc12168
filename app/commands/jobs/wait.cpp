#include "app/cli/failure.h"
#include "app/cli/parallel_in_order.h"
#include "app/cli/units.h"
#include "app/commands/commands.h"
#include "app/commands/jobs/waiting_notice.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/finished_jobs.h"
#include "app/jobs/job_selection.h"
#include "async/or_timeout.h"
#include "jobs/client/unmade_tasks.h"

#include <algorithm>

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"id", "ID"},
    {"state", "STATE", Column::Kind::State},
    {"outcome", "OUTCOME"},
    {"exit_code", "EXIT", Column::Kind::Number},
};

struct Ended {
    QList<QJsonObject> rows;
    int exitCode = ExitOk; // the highest

    void add(const jobs::FinalRecord &record)
    {
        rows.append({{QStringLiteral("id"), record.id.toString()},
                     {QStringLiteral("state"), jobs::stateName(record.state())},
                     {QStringLiteral("outcome"), jobs::outcomeName(record.outcome)},
                     {QStringLiteral("exit_code"), record.exitCode()}});
        exitCode = std::max(exitCode, record.exitCode());
    }
};

using Jobs = std::vector<std::pair<jobs::JobId, std::optional<jobs::FinalRecord>>>; // the record: it has ended

// None if the history is away: findFinished() asks it too, and tells.
async::Task<std::vector<jobs::FinalRecord>> neverMadeOfArchived(Context &context, jobs::JobRange tasks)
{
    try {
        const std::optional<jobs::JobView> array = co_await findArchived(context, tasks.first.array());
        if (array && array->record)
            co_return array->record->neverMadeTasks(tasks.first.task, tasks.last);
    } catch (const history::HistoryError &) {
    }
    co_return std::vector<jobs::FinalRecord>();
}

// Tasks that have neither nodes nor records: those that their arrays are still to make, and those that were cancelled
// before, from `since` on. An array that was archived tells in its record there.
async::Task<void> addUnmade(Context &context, jobs::Cluster cluster, JobSelection selection,
                            std::chrono::milliseconds since, std::vector<JobSelection::Chosen> &chosen,
                            FinishedJobs &ended)
{
    for (const jobs::JobRange &tasks : selection.namedTasks()) {
        jobs::UnmadeTasks unmade = co_await jobs::findUnmade(cluster, tasks);
        for (const jobs::JobId &id : unmade.toCome)
            chosen.push_back({id, false});
        if (!unmade.isArrayKnown) {
            std::vector<jobs::FinalRecord> archived = co_await neverMadeOfArchived(context, tasks);
            unmade.neverMade = std::move(archived);
        }
        for (jobs::FinalRecord &record : unmade.neverMade) {
            if (record.finishedAt >= since)
                ended.records.try_emplace(record.id, std::move(record));
        }
    }
}

// All that the arguments choose. Unmade tasks are looked for first: one that is made meanwhile is found then.
async::Task<void> findAll(Context &context, jobs::Cluster cluster, JobSelection selection,
                          std::chrono::milliseconds since, std::vector<JobSelection::Chosen> &chosen,
                          FinishedJobs &past)
{
    FinishedJobs unmade;
    co_await addUnmade(context, cluster, selection, since, chosen, unmade);
    const std::vector<JobSelection::Chosen> found = co_await selection.find(cluster, JobSelection::Arrays::AsOne);
    chosen.insert(chosen.begin(), found.begin(), found.end());
    past = co_await findFinished(context, cluster, selection, since);
    past.records.merge(unmade.records);
}

// The named jobs first, then by queue and number.
Jobs inOrder(const std::vector<JobSelection::Chosen> &chosen, const FinishedJobs &ended)
{
    Jobs inOrder;
    std::map<jobs::JobId, std::optional<jobs::FinalRecord>> others(ended.records.begin(), ended.records.end());
    for (const JobSelection::Chosen &one : chosen) {
        if (one.named)
            inOrder.emplace_back(one.id, std::nullopt);
        else
            others.try_emplace(one.id, std::nullopt);
    }
    for (const auto &[id, record] : inOrder)
        others.erase(id);
    inOrder.insert(inOrder.end(), others.begin(), others.end());
    return inOrder;
}

std::vector<jobs::JobId> unfinishedIn(const Jobs &all)
{
    std::vector<jobs::JobId> ids;
    for (const auto &[id, record] : all) {
        if (!record)
            ids.push_back(id);
    }
    return ids;
}

async::Task<jobs::FinalRecord> endOf(Context &context, jobs::Cluster cluster, jobs::JobId id,
                                     std::optional<jobs::FinalRecord> known)
{
    if (known && !known->movedTo)
        co_return std::move(*known);
    co_return co_await waitForEndAnywhere(context, cluster, id);
}

// Many at a time: records that are removed early are seen before.
async::Task<Ended> waitForAll(Context &context, jobs::Cluster cluster, Jobs all)
{
    Ended ended;
    ParallelInOrder<jobs::FinalRecord> tasks(context.loop(),
                                             [&ended](const jobs::FinalRecord &record) { ended.add(record); });
    for (const Jobs::value_type &job : all)
        co_await tasks.add(endOf(context, cluster, job.first, job.second));
    co_await tasks.finish();
    co_return ended;
}

// Zero: however long that takes.
async::Task<Ended> waitForAllInTime(Context &context, jobs::Cluster cluster, Jobs all, std::chrono::milliseconds limit)
{
    try {
        Ended ended;
        if (limit.count() == 0)
            ended = co_await waitForAll(context, cluster, std::move(all));
        else
            ended = co_await async::orTimeout(context.loop(), waitForAll(context, cluster, std::move(all)), limit);
        co_return ended;
    } catch (const async::Timeout &) {
        throw CommandError(ExitTimeout,
                           QStringLiteral("not all have ended within %1; drover ls shows what runs")
                               .arg(context.arguments().value("timeout")));
    } catch (const zk::SessionLost &error) {
        throw CommandError(ExitUnreachable,
                           QStringLiteral("%1; no job was changed by this: run the same drover wait again once "
                                          "ZooKeeper answers")
                               .arg(QString::fromUtf8(error.what())));
    }
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const JobSelection selection(arguments, arguments.positional());
    const std::chrono::milliseconds limit = arguments.timeout();
    std::chrono::milliseconds since{};
    if (arguments.has("since"))
        since = parseInstant(arguments.value("since"), QStringLiteral("--since"));
    const jobs::Cluster cluster = co_await context.openCluster();
    std::vector<JobSelection::Chosen> chosen;
    FinishedJobs past;
    co_await findAll(context, cluster, selection, since, chosen, past);
    Jobs all = inOrder(chosen, past);
    if (!past.trouble.isEmpty())
        Output::message(past.trouble);
    if (all.empty())
        throw CommandError(ExitNotFound, QStringLiteral("no job matches; drover ls --all lists them"));

    WaitingNotice notice(context, cluster);
    if (context.out().isTable())
        notice.watch(unfinishedIn(all));
    const Ended ended = co_await waitForAllInTime(context, cluster, std::move(all), limit);
    context.out().list("jobs", Columns, ended.rows);
    if (ended.exitCode == ExitOk && !past.trouble.isEmpty())
        co_return ExitError; // it is unknown whether all jobs succeeded
    co_return ended.exitCode;
}

} // namespace

Command wait()
{
    return {
        .name = "wait",
        .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
        .summary = "Wait until jobs have ended",
        .details =
            "Returns the job's own exit code; of several jobs the highest. An array has ended when its tasks have.\n"
            "A range of its tasks has those that are still to be made.\n"
            "Ranges and filters mean jobs that have ended as well, also those of the history; --since leaves out\n"
            "those of earlier times. While none of the jobs runs, a message says for what the first of them waits.\n"
            "--state, and --queue alone, choose among the jobs that have not ended yet.",
        .options = JobSelection::options()
            + QList{option("timeout", "give up after so long, with exit code 124", "DURATION"),
                    option("since", "of jobs that have ended, those that did since then: 2h, 2024-05-01T12:00",
                           "TIME")},
        .takes = {{CompletionKind::UnfinishedJob}},
        .argumentCount = {0, Command::Unlimited},
        .needs = {{trust::Role::Viewer}},
        .examples = {"drover wait default-42", "drover wait default-3..17 --timeout 1h",
                     "drover wait --tag nightly --since 2h"},
        .exits = {{"3", "no job matches"},
                  {"124", "--timeout passed, or a job's own time limit"},
                  {"125", "a job ended without an exit code"},
                  {"N", "the highest exit code of the jobs"}},
        .run = execute};
}

} // namespace drover::app
