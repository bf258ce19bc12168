#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "jobs/cluster/queue_settings.h"
#include "text/name.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"queue", "QUEUE"},
    {"state", "STATE"},
    {"unfinished", "UNFINISHED", Column::Kind::Number},
    {"submitted", "SUBMITTED", Column::Kind::Number, false, 8, 1},
    {"max_running", "LIMIT", Column::Kind::Number},
    {"idle_workers", "IDLE WORKERS", Column::Kind::Number, false, 8, 3},
    {"created_at", "AGE", Column::Kind::Time, false, 8, 2},
    {"paused_by", "PAUSED BY"},
    {"paused_why", "WHY", Column::Kind::Text, true},
};

void addSettings(QJsonObject &row, const jobs::QueueSettings &settings)
{
    row.insert(QStringLiteral("state"), settings.paused ? QStringLiteral("paused") : QStringLiteral("open"));
    if (settings.limit > 0)
        row.insert(QStringLiteral("max_running"), settings.limit);
    if (!settings.paused)
        return;
    row.insert(QStringLiteral("paused_by"), settings.pausedBy);
    row.insert(QStringLiteral("paused_at"), formatTime(settings.pausedAt));
    row.insert(QStringLiteral("paused_why"), settings.why);
}

// Counters alone, out of the queues' Stats: no queue is listed.
async::Task<int> list(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const QByteArrayList names = co_await jobs::queueNames(cluster);
    QList<QJsonObject> rows;
    for (const QByteArray &name : names) {
        const auto lookingAtQueue = cluster.zk.get(cluster.layout.queue(name));
        const auto lookingAtIdle = cluster.zk.exists(cluster.layout.idle(name));
        const zk::Answer<zk::Node> node = co_await lookingAtQueue;
        const zk::Answer<zk::Stat> idle = co_await lookingAtIdle;
        if (!node.ok())
            continue; // it is gone
        const zk::Stat *const queue = &node->stat;
        QJsonObject row{{QStringLiteral("queue"), QString::fromUtf8(name)},
                        {QStringLiteral("unfinished"), queue->numChildren},
                        {QStringLiteral("submitted"), jobs::submittedTo(*queue)},
                        {QStringLiteral("idle_workers"), idle->numChildren},
                        {QStringLiteral("created_at"), formatTime(std::chrono::milliseconds(queue->ctime))}};
        addSettings(row, jobs::QueueSettings::of(node->data));
        rows.append(row);
    }
    context.out().list("queues", Columns, rows);
    co_return ExitOk;
}

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

Command queueLs()
{
    return {.name = "queue ls",
            .summary = "List the queues with their depth",
            .details =
                "SUBMITTED counts what was created in the queue so far: jobs and tasks, and each hold, release,\n"
                "retry, move or return of one. AGE is the time since the queue was created.",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover queue ls"},
            .run = list};
}

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
