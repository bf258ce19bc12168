#include "app/cluster/coordination.h"
#include "app/cluster/worker_rows.h"
#include "app/commands/commands.h"
#include "jobs/audit/actor_name.h"
#include "jobs/cluster/cordon.h"
#include "jobs/model/worker_info.h"
#include "recipes/blocks/persistent.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;
using zk::Answer;

constexpr auto LookAgain = 200ms;

async::Task<std::optional<jobs::WorkerInfo>> infoOf(jobs::Cluster cluster, QByteArray worker)
{
    const Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(cluster.layout.members() / worker);
    if (!node.ok())
        co_return std::nullopt;
    co_return jobs::WorkerInfo::decode(node->data);
}

// The cordon stands when this returns. One that has a reason keeps it unless another is given.
async::Task<void> placeCordon(Context &context, jobs::Cluster cluster, QByteArray worker, jobs::AuditAction action)
{
    const std::optional<jobs::Cordon> present = co_await jobs::cordonOf(cluster, worker);
    if (present && !context.arguments().has("why"))
        co_return;
    const std::optional<jobs::WorkerInfo> info = co_await infoOf(cluster, worker);
    if (!info && !present)
        throw noSuchWorker(QString::fromLatin1(worker));
    jobs::Cordon cordon;
    cordon.by = jobs::actorName(cluster);
    cordon.why = context.arguments().value("why");
    cordon.at = context.loop().wallClock();
    co_await jobs::cordon(cluster, worker, cordon, action);
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

async::Task<qint64> czxidOf(zk::Client &zk, zk::Path path)
{
    const Answer<zk::Stat> stat = co_await recipes::Persistent(zk).exists(path);
    co_return stat.ok() ? stat->czxid : 0;
}

// Returns when the worker obeys its cordon and has no job any more, or is gone. That it obeys it says after the last
// claim, so nothing comes after we have looked.
async::Task<void> untilDrained(Context &context, jobs::Cluster cluster, QByteArray worker)
{
    const QString id = QString::fromLatin1(worker);
    qsizetype told = 0;
    for (;;) {
        const qint64 cordon = co_await czxidOf(cluster.zk, cluster.layout.cordon(worker));
        if (cordon == 0)
            throw CommandError(ExitWrongState, QStringLiteral("the cordon of worker %1 was lifted meanwhile").arg(id));
        const std::optional<jobs::WorkerInfo> info = co_await infoOf(cluster, worker);
        if (!info)
            co_return;
        const QJsonArray claimed = co_await jobsOf(cluster, id);
        if (info->cordon == cordon && claimed.isEmpty())
            co_return;
        if (claimed.size() != told && !claimed.isEmpty())
            Output::hint(QStringLiteral("worker %1 still has %2 %3")
                             .arg(id)
                             .arg(claimed.size())
                             .arg(claimed.size() == 1 ? QStringLiteral("job") : QStringLiteral("jobs")));
        told = claimed.size();
        co_await async::sleepFor(context.loop(), LookAgain);
    }
}

async::Task<int> drain(Context &context)
{
    const QString id = workerArgument(context.arguments());
    context.arguments().timeout(); // throws before anything is done
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await placeCordon(context, cluster, id.toLatin1(), jobs::AuditAction::WorkerDrained);
    co_await withinTimeout(context, untilDrained(context, cluster, id.toLatin1()),
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
            .argumentCount = {1, 1},
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
            .argumentCount = {1, 1},
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
            .argumentCount = {1, 1},
            .needs = {{trust::Role::Operate}},
            .check = "drover worker ls",
            .examples = {"drover worker drain build-7-4711 --timeout 1h"},
            .exits = {{"3", "there is no such worker"},
                      {"4", "the cordon was lifted meanwhile"},
                      {"124", "--timeout passed; the cordon stays"}},
            .run = drain};
}

} // namespace drover::app
