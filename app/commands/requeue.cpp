#include "app/commands/commands.h"
#include "app/job_verb.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> requeueOne(zk::Coordinator &zk, jobs::Layout layout, jobs::JobId id)
{
    const jobs::Change change = co_await jobs::requeue(zk, layout, id);
    co_return changeRow(id, change, QStringLiteral("requeueing"));
}

async::Task<int> execute(Context &context)
{
    const auto act = [layout = context.layout()](zk::Coordinator &zk, const jobs::JobId &id) {
        return requeueOne(zk, layout, id);
    };
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "requeued", .arrays = JobSelection::Arrays::TasksAlone, .act = act});
}

} // namespace

Command requeue()
{
    return {.name = "requeue",
            .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
            .summary = "Kill running jobs and put them back into their queue",
            .details = "The job's worker has been told; killed, the job is ready again, at its old place. That counts "
                       "neither as a\n"
                       "failure nor as one of its attempts.",
            .options = JobSelection::options(),
            .takes = {{ValueKind::RunningJob}},
            .maxArguments = Command::Unlimited,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
