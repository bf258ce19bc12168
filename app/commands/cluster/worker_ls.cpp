#include "app/cluster/worker_rows.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "jobs/cluster/backpressure.h"

namespace drover::app {

namespace {

using Kind = Column::Kind;

const QList<Column> ListColumns{
    {"worker", "WORKER"},
    {"state", "STATE"},
    {"host", "HOST", Kind::Text, false, 8, 5},
    {"pid", "PID", Kind::Number, false, 8, 1},
    {"slots_used", "USED", Kind::Number},
    {"slots", "SLOTS", Kind::Number},
    {"running", "RUNNING", Kind::Number, false, 8, 4},
    {"is_master", "MASTER"},
    {"started_at", "UP", Kind::Time, false, 8, 3},
    {"labels", "LABELS", Kind::Text, true, 8, 2},
    {"queues", "QUEUES", Kind::Text, true, 8, 6},
};

const QList<Column> OneColumns{
    {"worker", "worker"},
    {"malformed", "malformed"},
    {"state", "state"},
    {"trouble", "cannot run jobs"},
    {"cordoned_by", "cordoned by"},
    {"cordoned_why", "why"},
    {"cordoned_at", "cordoned", Kind::Time},
    {"host", "host"},
    {"pid", "process"},
    {"slots_used", "slots in use"},
    {"slots", "slots"},
    {"memory", "memory for jobs", Kind::Size},
    {"labels", "labels"},
    {"queues", "queues"},
    {"running_jobs", "runs"},
    {"waiting_jobs", "claimed, waiting"},
    {"is_master", "master"},
    {"spool", "spool"},
    {"output_address", "output served at"},
    {"started_at", "up", Kind::Time},
    {"drover_version", "version"},
};

async::Task<int> list(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const QList<QJsonObject> rows = co_await workerRows(cluster);
    context.out().list("workers", ListColumns, rows);
    const std::optional<jobs::Backpressure> pressure = co_await jobs::backpressureOn(cluster);
    if (pressure && context.out().isTable())
        Output::message(QStringLiteral("no worker claims jobs: %1").arg(pressure->reason));
    co_return ExitOk;
}

async::Task<int> show(Context &context)
{
    const QString id = workerArgument(context.arguments());
    const jobs::Cluster cluster = co_await context.openCluster();
    const QList<QJsonObject> rows = co_await workerRows(cluster);
    for (const QJsonObject &row : rows) {
        if (row.value(QLatin1String("worker")).toString() != id)
            continue;
        context.out().object(OneColumns, row);
        co_return ExitOk;
    }
    throw noSuchWorker(id);
}

} // namespace

Command workerLs()
{
    return {.name = "worker ls",
            .summary = "List the workers",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover worker ls"},
            .run = list};
}

Command workerShow()
{
    return {.name = "worker show",
            .synopsis = "[OPTIONS] ID",
            .summary = "Show all that is known about a worker, and what it runs",
            .takes = {{CompletionKind::Worker}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover worker show build-7-4711"},
            .exits = {{"3", "there is no such worker"}},
            .run = show};
}

} // namespace drover::app
