#include "app/cluster/schedule_trouble.h"

#include "app/cli/units.h"
#include "jobs/decision/decision.h"
#include "recipes/blocks/persistent.h"
#include "recipes/elections/leader_latch.h"

namespace drover::app {

using std::chrono::milliseconds;

namespace {

QString since(const jobs::ScheduleEntry &entry)
{
    return QStringLiteral("due since %1").arg(formatTime(entry.nextTick()));
}

} // namespace

async::Task<QString> troubleOf(jobs::Cluster cluster, jobs::ClusterConfig config, jobs::StoredSchedule stored,
                               milliseconds now)
{
    if (!stored.entry || stored.entry->paused)
        co_return stored.malformed;
    const jobs::ScheduleEntry &entry = *stored.entry;
    const bool late = entry.isLate(now);
    const QString queue = QString::fromLatin1(entry.job.queue);
    const zk::Answer<zk::Stat> stat =
        co_await recipes::Persistent(cluster.zk).exists(cluster.layout.queue(entry.job.queue));
    if (!stat.ok())
        co_return QStringLiteral("there is no queue %1 to submit to%2")
            .arg(queue, late ? QStringLiteral("; ") + since(entry) : QString());
    if (!late)
        co_return QString();
    if (stat->numChildren >= config.queueLimit)
        co_return QStringLiteral("%1; %2").arg(since(entry), jobs::describeFull(entry.job.queue, config.queueLimit));
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::optional<recipes::Participant> master = co_await latch.leader();
    if (!master)
        co_return QStringLiteral("%1; no worker is master, and only a master submits").arg(since(entry));
    co_return QStringLiteral("%1; the log of the master, worker %2, says why")
        .arg(since(entry), QString::fromUtf8(master->data));
}

QString refusalOfJobs(const jobs::StoredSchedule &stored, const trust::TrustStore &known, milliseconds now)
{
    if (!stored.entry || stored.entry->paused)
        return {};
    try {
        jobs::requireSigner(stored.entry->signedText, known, now);
        return {};
    } catch (const trust::Untrusted &error) {
        return QString::fromUtf8(error.what());
    }
}

} // namespace drover::app
