#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/audit/actor_name.h"
#include "jobs/client/job_requirements.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> holdOne(jobs::Cluster cluster, jobs::JobId id)
{
    const jobs::JobChange change = co_await jobs::hold(cluster, id, jobs::actorName(cluster));
    co_return changeRow(id, change);
}

async::Task<int> execute(Context &context)
{
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "held",
                      .arrays = JobSelection::Arrays::WithTasks,
                      .act = holdOne,
                      .check = jobs::requireHoldable,
                      .refusesUnmade = true});
}

} // namespace

Command hold()
{
    return bulkCommand(
        {.name = "hold",
         .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
         .summary = "Keep jobs from running until they are released",
         .details =
             "A job that runs cannot be held: drover requeue puts it back. Of an array its tasks are held, too, but "
             "those that run go on, and are retried if they fail.",
         .takes = {{CompletionKind::UnheldJob}},
         .examples = {"drover hold default-42", "drover hold --queue default --name report"},
         .run = execute});
}

} // namespace drover::app
