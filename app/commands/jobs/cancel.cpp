#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/client/cancel_job.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> cancelOne(jobs::Cluster cluster, jobs::JobId id)
{
    const jobs::CancelResult result = co_await jobs::cancel(cluster, id);
    const bool over = result == jobs::CancelResult::Cancelled;
    if (result == jobs::CancelResult::MarkedWithoutMaster)
        Output::message(
            QStringLiteral("array %1 ends when there is a master: start a worker, drover worker").arg(id.toString()));
    co_return QJsonObject{{QStringLiteral("id"), id.toString()},
                          {QStringLiteral("result"), over ? QStringLiteral("cancelled") : QStringLiteral("stopping")}};
}

async::Task<int> execute(Context &context)
{
    const auto actBeforehand = [](jobs::Cluster cluster, const jobs::JobRange &tasks) {
        return jobs::cancelUnexpandedTasks(std::move(cluster), tasks.first.array(), tasks.first.task, tasks.last);
    };
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "cancelled",
                      .arrays = JobSelection::Arrays::AsOne,
                      .act = cancelOne,
                      .actBeforehand = actBeforehand});
}

} // namespace

Command cancel()
{
    return bulkCommand(
        {.name = "cancel",
         .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
         .summary = "Cancel jobs: those that wait will not run, those that run are stopped",
         .details = "\"stopping\" means that its worker has yet to end the job; drover wait ID waits for the end.\n"
                    "An array is cancelled with its tasks. Tasks that it is still to make (ID.6..8) are never made.",
         .takes = {{CompletionKind::UnfinishedJob}},
         .examples = {"drover cancel default-42", "drover cancel --dry-run --tag nightly --state ready"},
         .run = execute});
}

} // namespace drover::app
