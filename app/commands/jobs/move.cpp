#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/jobs/bulk_job_command.h"
#include "jobs/client/job_requirements.h"
#include "jobs/client/own_clock.h"
#include "text/name.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> moveOne(jobs::Cluster cluster, jobs::JobId id, QByteArray queue, jobs::ClusterConfig config)
{
    const jobs::JobChange change = co_await jobs::moveToQueue(cluster, id, queue, config);
    co_return changeRow(id, change);
}

async::Task<int> execute(Context &context)
{
    QStringList words = context.arguments().positional();
    const QString queue = words.takeLast();
    if (!text::isName(queue))
        throw UsageError(QStringLiteral("\"%1\" is not a valid queue name; usage: drover move ID... QUEUE").arg(queue));
    const auto act = [&context, queue = queue.toLatin1()](jobs::Cluster cluster, const jobs::JobId &id) {
        return moveOne(std::move(cluster), id, queue, context.clusterConfig());
    };
    const auto check = [queue](const jobs::JobView &job) { jobs::requireMovable(job, queue.toLatin1()); };
    const BulkJobCommand verb{.participle = "moved", .arrays = JobSelection::Arrays::AsOne, .act = act, .check = check};
    const JobSelection selection(context.arguments(), words);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::requireQueue(cluster, queue.toLatin1());
    if (!context.arguments().has("dry-run"))
        co_await jobs::requireClockToSign(cluster);
    co_return co_await actOnJobs(context, cluster, selection, verb);
}

} // namespace

Command move()
{
    return bulkCommand(
        {.name = "move",
         .synopsis = "[OPTIONS] [ID | FIRST..LAST]... QUEUE",
         .summary = "Move jobs that do not run yet to another queue",
         .details = "There each is a new job with an id of its own; under its old id it has ended as cancelled.\n"
                    "In a closed cluster none is moved while this machine's clock is more than 5 minutes\n"
                    "ahead of ZooKeeper's.",
         .takes = {{CompletionKind::UnclaimedJob}, {CompletionKind::UnclaimedJob, CompletionKind::Queue}},
         .needs = {{trust::Role::Viewer, QStringLiteral("--dry-run")}, {trust::Role::Operate, {}, Need::Signs}},
         .examples = {"drover move default-42 other", "drover move --tag nightly other"},
         .run = execute});
}

} // namespace drover::app
