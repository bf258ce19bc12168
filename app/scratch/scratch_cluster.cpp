#include "app/scratch/scratch_cluster.h"

#include "jobs/cluster/members.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <QDateTime>

#include <algorithm>

namespace drover::app {

using namespace std::chrono_literals;
using recipes::Persistent;
using zk::Answer;

namespace {

constexpr auto PollInterval = 10ms;
constexpr auto StallLimit = 60s;

} // namespace

async::Task<void> makeScratchCluster(jobs::Cluster cluster, qint64 jobs)
{
    const QByteArrayList queues(1, QByteArrayLiteral("default"));
    co_await jobs::ensureCluster(cluster, queues);
    jobs::ClusterConfig config;
    config.queueLimit = std::max(config.queueLimit, jobs);
    config.doneLimit = std::max(config.doneLimit, jobs);
    const zk::Path path = cluster.layout.config();
    const QByteArray data = config.encode();
    const Answer<zk::Stat> written = co_await Persistent(cluster.zk).set(path, data);
    written.require();
}

jobs::JobSpec benchJob(const QStringList &command)
{
    jobs::JobSpec spec;
    spec.command = command;
    spec.environment.emplace(QStringLiteral("PATH"), QStringLiteral("/usr/local/bin:/usr/bin:/bin"));
    spec.submittedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    return spec;
}

async::Task<void> awaitEnded(jobs::Cluster cluster, qint64 count, std::function<void()> check)
{
    qint64 seen = -1;
    async::TimePoint moved = cluster.zk.loop().now();
    for (;;) {
        const Answer<zk::Stat> stat = co_await Persistent(cluster.zk).exists(cluster.layout.done());
        if (stat->numChildren >= count)
            co_return;
        if (stat->numChildren != seen)
            moved = cluster.zk.loop().now();
        seen = stat->numChildren;
        check();
        if (cluster.zk.loop().now() - moved > StallLimit)
            throw std::runtime_error("no job has ended for a minute, and not all have");
        co_await async::sleepFor(cluster.zk.loop(), PollInterval);
    }
}

async::Task<std::vector<jobs::FinalRecord>> readRecords(jobs::Cluster cluster)
{
    const std::vector<jobs::ReadChild> nodes = co_await jobs::readChildren(cluster.zk, cluster.layout.done());
    std::vector<jobs::FinalRecord> records;
    for (const jobs::ReadChild &child : nodes) {
        const QString name = QString::fromUtf8(child.name);
        const std::optional<jobs::JobId> id = jobs::JobId::parse(name);
        if (!id)
            throw jobs::Malformed(QStringLiteral("%1 is not a job").arg(name));
        records.push_back(jobs::FinalRecord::decode(child.node.data, *id));
    }
    co_return records;
}

async::Task<std::vector<jobs::JobId>> claimsOf(jobs::Cluster cluster, QString worker)
{
    const std::vector<jobs::StoredClaim> claims = co_await jobs::readClaims(cluster);
    std::vector<jobs::JobId> ids;
    for (const jobs::StoredClaim &stored : claims) {
        if (stored.claim.worker == worker)
            ids.push_back(stored.id);
    }
    co_return ids;
}

void requireOneGoodEnd(const std::vector<jobs::FinalRecord> &records, QSet<jobs::JobId> ids)
{
    for (const jobs::FinalRecord &record : records) {
        const QString id = record.id.toString();
        if (!ids.remove(record.id))
            throw std::runtime_error(
                QStringLiteral("job %1 has ended, and the benchmark did not submit it").arg(id).toStdString());
        if (record.state() != jobs::JobState::Succeeded)
            throw std::runtime_error(QStringLiteral("job %1 ended with code %2 %3")
                                         .arg(id)
                                         .arg(record.exitCode())
                                         .arg(record.reason)
                                         .toStdString());
    }
    if (!ids.isEmpty())
        throw std::runtime_error("jobs without a final record: " + std::to_string(ids.size()));
}

} // namespace drover::app
