#include "app/commands/commands.h"
#include "app/job_verb.h"
#include "jobs/submit_note.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> holdOne(zk::Coordinator &zk, jobs::Layout layout, jobs::JobId id, QString by)
{
    const jobs::Change change = co_await jobs::hold(zk, layout, id, by);
    co_return changeRow(id, change);
}

async::Task<int> execute(Context &context)
{
    const auto act = [layout = context.layout(), by = jobs::submitterName()](
                         zk::Coordinator &zk, const jobs::JobId &id) { return holdOne(zk, layout, id, by); };
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
            .options = JobSelection::options(),
            .takes = {{ValueKind::UnheldJob}},
            .maxArguments = Command::Unlimited,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
