#include "app/launch/launched_workers.h"

#include "app/cluster/worker_drain.h"
#include "app/launch/ssh.h"
#include "async/or_timeout.h"
#include "jobs/audit/actor_name.h"
#include "jobs/cluster/cordon.h"
#include "recipes/blocks/persistent.h"
#include "text/clock_difference.h"
#include "text/quantity.h"

namespace drover::app {

namespace {

// Why an upgrade has cordoned a worker. The next one knows by it which cordons one that was interrupted has left.
QString upgradeReason()
{
    return QStringLiteral("drover launch upgrades it");
}

} // namespace

async::Task<void> LaunchedWorkers::drain(QByteArray worker, std::optional<std::chrono::milliseconds> limit)
{
    const jobs::Cluster cluster = co_await openOnce();
    const std::optional<jobs::Cordon> present = co_await jobs::cordonOf(cluster, worker);
    if (!present) {
        jobs::Cordon cordon;
        cordon.by = jobs::actorName(cluster);
        cordon.why = upgradeReason();
        cordon.at = m_context.loop().wallClock();
        co_await jobs::cordon(cluster, worker, cordon, jobs::AuditAction::WorkerDrained);
    }
    if (!limit) {
        co_await untilDrained(cluster, worker);
        co_return;
    }
    try {
        co_await async::orTimeout(m_context.loop(), untilDrained(cluster, worker), *limit);
    } catch (const async::Timeout &) {
        throw HostFailed(
            QStringLiteral("its worker still has jobs after %1, and goes on").arg(text::formatDuration(*limit)));
    }
}

async::Task<void> LaunchedWorkers::liftCordon(QByteArray worker)
{
    const jobs::Cluster cluster = co_await openOnce();
    const std::optional<jobs::Cordon> present = co_await jobs::cordonOf(cluster, worker);
    if (present && present->why == upgradeReason())
        co_await jobs::uncordon(cluster, worker);
}

async::Task<jobs::Cluster> LaunchedWorkers::openOnce()
{
    if (!std::exchange(m_isOpening, true))
        m_opens.spawn(open()); // it goes on if the first caller is interrupted
    co_await m_opened.wait();
    if (m_openError)
        std::rethrow_exception(m_openError);
    co_return *m_cluster;
}

async::Task<void> LaunchedWorkers::open()
{
    try {
        const jobs::Cluster opened = co_await m_context.openCluster();
        m_cluster.emplace(opened);
    } catch (...) {
        m_openError = std::current_exception();
    }
    // A caller that fails may end the launch, and this task with it: not from within it.
    m_tellTimer = m_context.loop().after(std::chrono::seconds(0), [this] { m_opened.set(); });
}

// The worker has written its own time into its node, and ZooKeeper knows when the node was made.
async::Task<QString> LaunchedWorkers::clockTrouble(QByteArray worker)
{
    const jobs::Cluster cluster = co_await openOnce();
    const zk::Path path = cluster.layout.members() / worker;
    const zk::Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(path);
    if (!node.ok())
        throw HostFailed(QStringLiteral("its worker has joined another cluster than %1 at %2, or has ended")
                             .arg(QString::fromLatin1(m_context.settings().cluster), m_context.settings().connect));
    const jobs::WorkerInfo info = jobs::WorkerInfo::decode(node->data);
    const auto ahead = info.startedAt - std::chrono::milliseconds(node->stat.ctime);
    if (std::chrono::abs(ahead) < text::ClockTolerance)
        co_return QString();
    co_return QStringLiteral("its clock is %1: set it (NTP)").arg(text::clockDifference(ahead));
}

} // namespace drover::app
