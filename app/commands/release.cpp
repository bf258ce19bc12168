#include "app/commands/commands.h"
#include "app/job_verb.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> releaseOne(zk::Coordinator &zk, jobs::Layout layout, jobs::JobId id)
{
    const jobs::Change change = co_await jobs::release(zk, layout, id);
    co_return changeRow(id, change);
}

async::Task<int> execute(Context &context)
{
    const auto act = [layout = context.layout()](zk::Coordinator &zk, const jobs::JobId &id) {
        return releaseOne(zk, layout, id);
    };
    return actOnJobs(context, context.arguments().positional(),
                     {.participle = "released", .arrays = JobSelection::Arrays::WithTasks, .act = act});
}

} // namespace

Command release()
{
    return {.name = "release",
            .synopsis = "[OPTIONS] [ID | FIRST..LAST]...",
            .summary = "Let jobs run that were held",
            .options = JobSelection::options(),
            .takes = {{ValueKind::HeldJob}},
            .maxArguments = Command::Unlimited,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
