#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "jobs/cluster/queue_settings.h"
#include "text/name.h"

namespace drover::app {

namespace {

// A queue of jobs. Queues of items have no such switches.
QByteArray queueArgument(const Arguments &arguments)
{
    const QString queue = arguments.at(0);
    if (!text::isName(queue))
        throw UsageError(QStringLiteral("\"%1\" is not a queue of jobs; drover queue ls lists them").arg(queue));
    return queue.toLatin1();
}

async::Task<int> pause(Context &context)
{
    const QByteArray queue = queueArgument(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::pauseQueue(cluster, queue, context.arguments().value("why"));
    co_return ExitOk;
}

async::Task<int> resume(Context &context)
{
    const QByteArray queue = queueArgument(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::resumeQueue(cluster, queue);
    co_return ExitOk;
}

async::Task<int> limit(Context &context)
{
    const QByteArray queue = queueArgument(context.arguments());
    const QString text = context.arguments().at(1);
    const qint64 limit = text == u"none"
        ? 0
        : parseInteger(text, QStringLiteral("N (none for no limit)"), 1, jobs::QueueSettings::MaxLimit);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::limitQueue(cluster, queue, static_cast<int>(limit));
    co_return ExitOk;
}

} // namespace

Command queuePause()
{
    return {.name = "queue pause",
            .synopsis = "[OPTIONS] QUEUE",
            .summary = "Let no more jobs of a queue begin; those that run go on",
            .details = "Jobs may be submitted to it as before. Once this returns none is claimed any more.",
            .options = {option("why", "the reason, for others to read", "TEXT")},
            .takes = {{CompletionKind::Queue}},
            .needs = {{trust::Role::Operate}},
            .check = "drover queue ls",
            .examples = {"drover queue pause default --why maintenance"},
            .exits = {{"3", "there is no such queue"}},
            .run = pause};
}

Command queueResume()
{
    return {.name = "queue resume",
            .synopsis = "[OPTIONS] QUEUE",
            .summary = "Let the jobs of a paused queue begin again",
            .takes = {{CompletionKind::Queue}},
            .needs = {{trust::Role::Operate}},
            .check = "drover queue ls",
            .examples = {"drover queue resume default"},
            .exits = {{"3", "there is no such queue"}},
            .run = resume};
}

Command queueLimit()
{
    return {.name = "queue limit",
            .synopsis = "[OPTIONS] QUEUE N|none",
            .summary = "Let at most N jobs of a queue run at a time, in the whole cluster",
            .details =
                "Those that run already go on; how many jobs a queue takes is another limit: drover cluster limits.",
            .takes = {{CompletionKind::Queue}, {}},
            .needs = {{trust::Role::Operate}},
            .check = "drover queue ls",
            .examples = {"drover queue limit default 10", "drover queue limit default none"},
            .exits = {{"3", "there is no such queue"}},
            .run = limit};
}

} // namespace drover::app
