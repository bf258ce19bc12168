#include "app/commands/commands.h"
#include "app/context.h"
#include "app/units.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"queue", "QUEUE"},
    {"unfinished", "UNFINISHED", Column::Kind::Number},
    {"submitted", "SUBMITTED", Column::Kind::Number},
    {"idle_workers", "IDLE WORKERS", Column::Kind::Number},
    {"created_at", "AGE", Column::Kind::Time},
};

// Counters alone, out of the queues' Stats: no queue is listed.
async::Task<int> execute(Context &context)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const jobs::Layout layout = context.layout();
    const QByteArrayList names = co_await jobs::queueNames(*zk, layout);
    QList<QJsonObject> rows;
    for (const QByteArray &name : names) {
        const auto lookingAtQueue = zk->exists(layout.queue(name));
        const auto lookingAtIdle = zk->exists(layout.idle(name));
        const zk::Answer<zk::Stat> queue = co_await lookingAtQueue;
        const zk::Answer<zk::Stat> idle = co_await lookingAtIdle;
        rows.append({{QStringLiteral("queue"), QString::fromUtf8(name)},
                     {QStringLiteral("unfinished"), queue->numChildren},
                     {QStringLiteral("submitted"), (queue->cversion + queue->numChildren) / 2},
                     {QStringLiteral("idle_workers"), idle->numChildren},
                     {QStringLiteral("created_at"), formatTime(std::chrono::milliseconds(queue->ctime))}});
    }
    context.out().list("queues", Columns, rows);
    co_return ExitOk;
}

} // namespace

Command queueLs()
{
    return {.name = "queue ls", .synopsis = "[OPTIONS]", .summary = "List the queues with their depth", .run = execute};
}

} // namespace drover::app
