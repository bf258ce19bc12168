#include "app/cli/units.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "jobs/cluster/queue_settings.h"

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
async::Task<int> execute(Context &context)
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
            .run = execute};
}

} // namespace drover::app
