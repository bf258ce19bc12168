#include "app/cluster/coordination.h"
#include "app/cluster/worker_drain.h"
#include "app/cluster/worker_rows.h"
#include "app/commands/commands.h"
#include "jobs/cluster/cordon.h"

namespace drover::app {

namespace {

// The cordon stands when this returns.
async::Task<void> placeCordon(Context &context, jobs::Cluster cluster, QByteArray worker, jobs::AuditAction action)
{
    const std::optional<QString> why =
        context.arguments().has("why") ? std::optional(context.arguments().value("why")) : std::nullopt;
    const bool stands = co_await jobs::placeCordon(cluster, worker, why, action);
    if (!stands)
        throw noSuchWorker(QString::fromLatin1(worker));
}

async::Task<int> cordon(Context &context)
{
    const QByteArray worker = workerArgument(context.arguments()).toLatin1();
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await placeCordon(context, cluster, worker, jobs::AuditAction::WorkerCordoned);
    co_return ExitOk;
}

async::Task<int> uncordon(Context &context)
{
    const QByteArray worker = workerArgument(context.arguments()).toLatin1();
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::optional<jobs::Cordon> present = co_await jobs::cordonOf(cluster, worker);
    if (!present)
        throw CommandError(ExitWrongState,
                           QStringLiteral("worker %1 is not cordoned").arg(QString::fromLatin1(worker)));
    co_await jobs::uncordon(cluster, worker);
    co_return ExitOk;
}

async::Task<int> drain(Context &context)
{
    const QString id = workerArgument(context.arguments());
    context.arguments().timeout(); // throws before anything is done
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await placeCordon(context, cluster, id.toLatin1(), jobs::AuditAction::WorkerDrained);
    co_await withinTimeout(context, untilDrained(cluster, id.toLatin1()),
                           QStringLiteral("worker %1 still has jobs after %2; it stays cordoned")
                               .arg(id, context.arguments().value("timeout")));
    co_return ExitOk;
}

QCommandLineOption whyOption()
{
    return option("why", "the reason, for others to read", "TEXT");
}

} // namespace

Command workerCordon()
{
    return {.name = "worker cordon",
            .synopsis = "[OPTIONS] ID",
            .summary = "Let a worker claim no more jobs; those that it runs go on",
            .details = "It stays so, even if the worker comes back under the same id, until drover worker uncordon ID.",
            .options = {whyOption()},
            .takes = {{CompletionKind::Worker}},
            .needs = {{trust::Role::Operate}},
            .check = "drover worker ls",
            .examples = {"drover worker cordon build-7-4711 --why \"new disk\""},
            .exits = {{"3", "there is no such worker"}},
            .run = cordon};
}

Command workerUncordon()
{
    return {.name = "worker uncordon",
            .synopsis = "[OPTIONS] ID",
            .summary = "Let a worker claim jobs again",
            .takes = {{CompletionKind::Worker}},
            .needs = {{trust::Role::Operate}},
            .check = "drover worker ls",
            .examples = {"drover worker uncordon build-7-4711"},
            .exits = {{"4", "the worker is not cordoned"}},
            .run = uncordon};
}

Command workerDrain()
{
    return {.name = "worker drain",
            .synopsis = "[OPTIONS] ID",
            .summary = "Cordon a worker, and wait until it runs nothing",
            .options = {whyOption(), timeoutOption()},
            .takes = {{CompletionKind::Worker}},
            .needs = {{trust::Role::Operate}},
            .check = "drover worker ls",
            .examples = {"drover worker drain build-7-4711 --timeout 1h"},
            .exits = {{"3", "there is no such worker"},
                      {"4", "the cordon was lifted meanwhile, or the worker is malformed"},
                      {"124", "--timeout passed; the cordon stays"}},
            .run = drain};
}

} // namespace drover::app
