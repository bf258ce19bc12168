#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/client/job_requirements.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> requeueOne(jobs::Cluster cluster, jobs::JobId id)
{
    const jobs::JobChange change = co_await jobs::requeue(cluster, id);
    co_return changeRow(id, change, QStringLiteral("requeueing"));
}

async::Task<int> execute(Context &context)
{
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "requeued",
                      .arrays = JobSelection::Arrays::TasksAlone,
                      .act = requeueOne,
                      .check = jobs::requireClaimed});
}

} // namespace

Command requeue()
{
    return bulkCommand(
        {.name = "requeue",
         .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
         .summary = "Kill running jobs and put them back into their queue",
         .details = "The job's worker kills it. Then it is ready again, at its old place in the queue. That counts\n"
                    "neither as a failure nor as one of its attempts.",
         .takes = {{CompletionKind::RunningJob}},
         .examples = {"drover requeue default-42"},
         .run = execute});
}

} // namespace drover::app
