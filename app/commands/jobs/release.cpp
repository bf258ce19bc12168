#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/client/job_requirements.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> releaseOne(jobs::Cluster cluster, jobs::JobId id)
{
    const jobs::JobChange change = co_await jobs::release(cluster, id);
    co_return changeRow(id, change);
}

async::Task<int> execute(Context &context)
{
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "released",
                      .arrays = JobSelection::Arrays::WithTasks,
                      .act = releaseOne,
                      .check = jobs::requireReleasable});
}

} // namespace

Command release()
{
    return bulkCommand({.name = "release",
                        .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
                        .summary = "Let jobs run that were held",
                        .takes = {{CompletionKind::HeldJob}},
                        .examples = {"drover release default-42", "drover release --tag nightly"},
                        .run = execute});
}

} // namespace drover::app
