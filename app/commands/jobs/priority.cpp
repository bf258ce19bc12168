#include "app/cli/units.h"
#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/client/job_requirements.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> priorityOne(jobs::Cluster cluster, jobs::JobId id, int priority)
{
    const jobs::JobChange change = co_await jobs::setPriority(cluster, id, priority);
    co_return changeRow(id, change, QStringLiteral("priority %1").arg(priority));
}

async::Task<int> execute(Context &context)
{
    const QStringList words = context.arguments().positional();
    const auto priority =
        static_cast<int>(parseInteger(words.first(), QStringLiteral("the priority"), 0, jobs::JobSpec::MaxPriority));
    const auto act = [priority](jobs::Cluster cluster, const jobs::JobId &id) {
        return priorityOne(std::move(cluster), id, priority);
    };
    return actOnJobs(context, words.mid(1),
                     {.participle = "changed",
                      .arrays = JobSelection::Arrays::WithTasks,
                      .act = act,
                      .check = jobs::requireUnclaimedOrArray});
}

} // namespace

Command priority()
{
    return bulkCommand({.name = "priority",
                        .synopsis = "[OPTIONS] N [ID | FIRST..LAST]...",
                        .summary = "Give jobs that do not run yet another priority, 0 (first) to 9",
                        .takes = {{}, {CompletionKind::UnclaimedJob}},
                        .examples = {"drover priority 0 default-42", "drover priority 9 --tag nightly"},
                        .run = execute});
}

} // namespace drover::app
