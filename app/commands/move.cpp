#include "app/commands/commands.h"
#include "app/failure.h"
#include "app/job_verb.h"

namespace drover::app {

namespace {

async::Task<QJsonObject> moveOne(zk::Coordinator &zk, jobs::Layout layout, jobs::JobId id, QByteArray queue,
                                 jobs::ClusterConfig config)
{
    const jobs::Change change = co_await jobs::moveToQueue(zk, layout, id, queue, config);
    co_return changeRow(id, change);
}

async::Task<int> execute(Context &context)
{
    QStringList words = context.arguments().positional();
    const QString queue = words.takeLast();
    if (!jobs::isValidName(queue))
        throw UsageError(QStringLiteral("\"%1\" is no queue's name; drover move ID... QUEUE").arg(queue));
    const auto act = [&context, layout = context.layout(), queue = queue.toLatin1()](zk::Coordinator &zk,
                                                                                     const jobs::JobId &id) {
        return moveOne(zk, layout, id, queue, context.clusterConfig());
    };
    const JobVerb verb{.participle = "moved", .arrays = JobSelection::Arrays::AsOne, .act = act};
    const JobSelection selection(context.arguments(), words);
    zk::Coordinator *const zk = co_await context.openCluster();
    co_await jobs::requireQueue(*zk, context.layout(), queue.toLatin1());
    const int code = co_await actOnJobs(context, *zk, selection, verb);
    co_return code;
}

} // namespace

Command move()
{
    return {.name = "move",
            .synopsis = "[OPTIONS] [ID | FIRST..LAST]... QUEUE",
            .summary = "Move jobs that do not run yet to another queue",
            .details = "There each is a new job with an id of its own; under its old id it has ended as cancelled.",
            .options = JobSelection::options(),
            .takes = {{ValueKind::UnclaimedJob}, {ValueKind::UnclaimedJob, ValueKind::Queue}},
            .minArguments = 1,
            .maxArguments = Command::Unlimited,
            .check = "drover ls --all",
            .run = execute};
}

} // namespace drover::app
