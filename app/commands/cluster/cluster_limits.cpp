#include "app/cli/sentence.h"
#include "app/cluster/cluster_settings.h"
#include "app/commands/commands.h"
#include "text/quantity.h"

namespace drover::app {

namespace {

constexpr qint64 Most = 10'000'000; // of either: what ClusterConfig takes

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const std::function<void(jobs::ClusterConfig &)> change = [&arguments](jobs::ClusterConfig &config) {
        config.queueLimit = arguments.integer("queue-limit", 1, Most, config.queueLimit);
        config.doneLimit = arguments.integer("done-limit", 1, Most, config.doneLimit);
    };
    jobs::ClusterConfig checked;
    change(checked); // throws before anything is asked
    const jobs::Cluster cluster = co_await context.openCluster();
    const jobs::ClusterConfig config = co_await changeSettings(cluster, change);
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("a queue takes %1 unfinished jobs, and %2 final records are kept in ZooKeeper")
                          .arg(text::formatCount(config.queueLimit), text::formatCount(config.doneLimit)));
    else
        context.out().object(
            {}, {{QStringLiteral("queue_limit"), config.queueLimit}, {QStringLiteral("done_limit"), config.doneLimit}});
    co_return ExitOk;
}

} // namespace

Command clusterLimits()
{
    return {.name = "cluster limits",
            .summary = "Show or set how many jobs and records the cluster keeps in ZooKeeper",
            .details = "A queue that is full refuses jobs. Final records beyond their limit are deleted, the oldest "
                       "first, when they are in the history or none is kept; while the history fails claims pause at "
                       "the limit (drover history keep --when-away). A new limit is obeyed at once by commands, and by "
                       "the master within a few seconds; a program that submits goes by the one that it found when it "
                       "began. How many jobs run at a time: drover queue limit, drover limit set.",
            .options = {option("queue-limit", "unfinished jobs that a queue takes (at first: 50000)", "N"),
                        option("done-limit", "final records that are kept (at first: 20000)", "N")},
            .needs = {{trust::Role::Operate, QStringLiteral("--queue-limit")},
                      {trust::Role::Operate, QStringLiteral("--done-limit")},
                      {trust::Role::Viewer}},
            .check = "drover cluster limits",
            .examples = {"drover cluster limits", "drover cluster limits --queue-limit 100000"},
            .run = execute};
}

} // namespace drover::app
