#include "app/commands/commands.h"
#include "app/context.h"
#include "app/failure.h"
#include "app/job_selection.h"
#include "app/ordered_tasks.h"
#include "app/past_jobs.h"
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

// Many at a time: records that are removed early are seen before.
async::Task<Ended> waitForAll(Context &context, zk::Coordinator &zk, std::vector<JobSelection::Chosen> chosen)
{
    Ended ended;
    OrderedTasks<jobs::FinalRecord> tasks(context.loop(),
                                          [&ended](const jobs::FinalRecord &record) { ended.add(record); });
    for (const JobSelection::Chosen &one : chosen)
        co_await tasks.add(waitForEndAnywhere(context, zk, one.id));
    co_await tasks.finish();
    co_return ended;
}

async::Task<int> execute(Context &context)
{
    const JobSelection selection(context.arguments(), context.arguments().positional());
    const std::chrono::milliseconds limit = context.arguments().duration("timeout", std::chrono::milliseconds(-1));
    zk::Coordinator *const zk = co_await context.openCluster();
    std::vector<JobSelection::Chosen> chosen =
        co_await selection.find(*zk, context.layout(), JobSelection::Arrays::AsOne, true);
    if (chosen.empty())
        throw CommandError(ExitNotFound, QStringLiteral("no job matches; drover ls --all lists them"));

    Ended ended;
    if (limit.count() < 0) {
        ended = co_await waitForAll(context, *zk, std::move(chosen));
    } else {
        try {
            ended = co_await async::orTimeout(context.loop(), waitForAll(context, *zk, std::move(chosen)), limit);
        } catch (const async::Timeout &) {
            throw CommandError(ExitTimeout,
                               QStringLiteral("not all have ended within %1; drover ls shows what runs")
                                   .arg(context.arguments().value("timeout")));
        }
    }
    context.out().list("jobs", Columns, ended.rows);
    co_return ended.exitCode;
}

} // namespace

Command wait()
{
    return {.name = "wait",
            .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
            .summary = "Wait until jobs have ended",
            .details = "Returns the job's own exit code; of several jobs the highest.\n"
                       "Filters choose among the jobs that have not ended yet; an array has ended when its tasks have.",
            .options = JobSelection::options()
                + QList{option("timeout", "give up after so long, with exit code 124", "DURATION")},
            .takes = {{ValueKind::UnfinishedJob}},
            .maxArguments = Command::Unlimited,
            .run = execute};
}

} // namespace drover::app
