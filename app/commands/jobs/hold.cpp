#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/client/submitter.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> holdOne(jobs::Cluster cluster, jobs::JobId id, QString by)
{
    const jobs::JobChange change = co_await jobs::hold(cluster, id, by);
    co_return changeRow(id, change);
}

async::Task<int> execute(Context &context)
{
    const auto act = [by = jobs::submitterName()](jobs::Cluster cluster, const jobs::JobId &id) {
        return holdOne(std::move(cluster), id, by);
    };
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "held", .arrays = JobSelection::Arrays::WithTasks, .act = act});
}

} // namespace

Command hold()
{
    return {.name = "hold",
            .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
            .summary = "Keep jobs from running until they are released",
            .details =
                "A job that runs cannot be held: drover requeue puts it back. Of an array its tasks are held, too.",
            .options = bulkOptions(),
            .takes = {{CompletionKind::UnheldJob}},
            .argumentCount = {0, Command::Unlimited},
            .check = "drover ls --all",
            .examples = {"drover hold default-42", "drover hold --queue default --name report"},
            .exits = bulkExits(),
            .run = execute};
}

} // namespace drover::app
