#include "app/commands/commands.h"
#include "app/job_verb.h"
#include "app/units.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> priorityOne(zk::Coordinator &zk, jobs::Layout layout, jobs::JobId id, int priority)
{
    const jobs::Change change = co_await jobs::setPriority(zk, layout, id, priority);
    co_return changeRow(id, change, QStringLiteral("priority %1").arg(priority));
}

async::Task<int> execute(Context &context)
{
    const QStringList words = context.arguments().positional();
    const auto priority =
        static_cast<int>(parseInteger(words.first(), QStringLiteral("the priority"), 0, jobs::JobSpec::MaxPriority));
    const auto act = [layout = context.layout(), priority](zk::Coordinator &zk, const jobs::JobId &id) {
        return priorityOne(zk, layout, id, priority);
    };
    return actOnJobs(context, words.mid(1),
                     {.participle = "changed", .arrays = JobSelection::Arrays::WithTasks, .act = act});
}

} // namespace

Command priority()
{
    return {.name = "priority",
            .synopsis = "[OPTIONS] N [ID | FIRST..LAST]...",
            .summary = "Give jobs that do not run yet another priority, 0 (first) to 9",
            .options = JobSelection::options(),
            .takes = {{}, {ValueKind::UnclaimedJob}},
            .minArguments = 1,
            .maxArguments = Command::Unlimited,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
