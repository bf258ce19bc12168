#include "app/cluster/worker_drain.h"

#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "app/cluster/worker_rows.h"
#include "jobs/cluster/cordon.h"
#include "recipes/blocks/persistent.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr auto LookAgain = 200ms;

async::Task<qint64> czxidOf(zk::Client &zk, zk::Path path)
{
    const zk::Answer<zk::Stat> stat = co_await recipes::Persistent(zk).exists(path);
    co_return stat.ok() ? stat->czxid : 0;
}

} // namespace

async::Task<std::optional<jobs::WorkerInfo>> workerInfoOf(jobs::Cluster cluster, QByteArray worker)
{
    const zk::Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(cluster.layout.members() / worker);
    if (!node.ok())
        co_return std::nullopt;
    try {
        co_return jobs::WorkerInfo::decode(node->data);
    } catch (const jobs::Malformed &error) {
        throw CommandError(
            ExitWrongState,
            QStringLiteral("worker %1 is malformed (%2): another program has joined in its name; stop it")
                .arg(QString::fromLatin1(worker), QString::fromUtf8(error.what())));
    }
}

async::Task<void> untilDrained(jobs::Cluster cluster, QByteArray worker)
{
    const QString id = QString::fromLatin1(worker);
    qsizetype told = 0;
    for (;;) {
        const qint64 cordon = co_await czxidOf(cluster.zk, cluster.layout.cordon(worker));
        if (cordon == 0)
            throw CommandError(ExitWrongState, QStringLiteral("the cordon of worker %1 was lifted meanwhile").arg(id));
        const std::optional<jobs::WorkerInfo> info = co_await workerInfoOf(cluster, worker);
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
        co_await async::sleepFor(cluster.zk.loop(), LookAgain);
    }
}

} // namespace drover::app
