#include "app/commands/commands.h"
#include "app/context.h"
#include "app/ended_jobs.h"
#include "app/failure.h"
#include "app/job_selection.h"
#include "app/ordered_tasks.h"
#include "app/past_jobs.h"
#include "app/units.h"
#include "async/or_timeout.h"

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

// Those that are named first, then by queue and number.
Jobs inOrder(const std::vector<JobSelection::Chosen> &chosen, const EndedJobs &ended)
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

async::Task<jobs::FinalRecord> endOf(Context &context, zk::Coordinator &zk, jobs::JobId id,
                                     std::optional<jobs::FinalRecord> known)
{
    if (known && !known->movedTo)
        co_return std::move(*known);
    co_return co_await waitForEndAnywhere(context, zk, id);
}

// Many at a time: records that are removed early are seen before.
async::Task<Ended> waitForAll(Context &context, zk::Coordinator &zk, Jobs all)
{
    Ended ended;
    OrderedTasks<jobs::FinalRecord> tasks(context.loop(),
                                          [&ended](const jobs::FinalRecord &record) { ended.add(record); });
    for (const Jobs::value_type &job : all)
        co_await tasks.add(endOf(context, zk, job.first, job.second));
    co_await tasks.finish();
    co_return ended;
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const JobSelection selection(arguments, arguments.positional());
    const std::chrono::milliseconds limit = arguments.duration("timeout", std::chrono::milliseconds(-1));
    std::chrono::milliseconds since{};
    if (arguments.has("since"))
        since = parseInstant(arguments.value("since"), QStringLiteral("--since"));
    zk::Coordinator *const zk = co_await context.openCluster();
    const std::vector<JobSelection::Chosen> chosen =
        co_await selection.find(*zk, context.layout(), JobSelection::Arrays::AsOne);
    const EndedJobs past = co_await findEnded(context, *zk, selection, since);
    Jobs all = inOrder(chosen, past);
    if (!past.trouble.isEmpty())
        Output::message(past.trouble);
    if (all.empty())
        throw CommandError(ExitNotFound, QStringLiteral("no job matches; drover ls --all lists them"));

    Ended ended;
    if (limit.count() < 0) {
        ended = co_await waitForAll(context, *zk, std::move(all));
    } else {
        try {
            ended = co_await async::orTimeout(context.loop(), waitForAll(context, *zk, std::move(all)), limit);
        } catch (const async::Timeout &) {
            throw CommandError(ExitTimeout,
                               QStringLiteral("not all have ended within %1; drover ls shows what runs")
                                   .arg(arguments.value("timeout")));
        }
    }
    context.out().list("jobs", Columns, ended.rows);
    if (ended.exitCode == ExitOk && !past.trouble.isEmpty())
        co_return ExitError; // nobody knows that all went well
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
            "Ranges and filters mean jobs that have ended as well, also those of the history; --since leaves out\n"
            "those of earlier times. --state, and --queue alone, choose among the jobs that have not ended yet.",
        .options = JobSelection::options()
            + QList{option("timeout", "give up after so long, with exit code 124", "DURATION"),
                    option("since", "of jobs that have ended, those that did since then: 2h, 2024-05-01T12:00",
                           "TIME")},
        .takes = {{ValueKind::UnfinishedJob}},
        .maxArguments = Command::Unlimited,
        .run = execute};
}

} // namespace drover::app
