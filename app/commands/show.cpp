#include "app/commands/commands.h"
#include "app/context.h"
#include "app/job_json.h"
#include "app/past_jobs.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const jobs::JobId id = parseJobId(context.arguments().at(0));
    zk::Coordinator *const zk = co_await context.openCluster();
    const jobs::JobView job = co_await lookUpAnywhere(context, *zk, id);
    context.out().object(JobColumns, context.out().isTable() ? jobJson(job) : wholeJobJson(job));
    co_return ExitOk;
}

} // namespace

Command show()
{
    return {.name = "show",
            .synopsis = "[OPTIONS] ID",
            .summary = "Show all that is known about a job",
            .takes = {{ValueKind::AnyJob}},
            .minArguments = 1,
            .maxArguments = 1,
            .run = execute};
}

} // namespace drover::app
