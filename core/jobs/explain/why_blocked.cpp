#include "jobs/explain/why_blocked.h"

#include "text/quantity.h"

namespace drover::jobs {

namespace {

Reason aboutNodesBelow(const zk::Path &job, qint32 count)
{
    return {
        QStringLiteral("another program has made %1 below %2: workers leave the job alone, and nothing can move or "
                       "end it")
            .arg(text::formatCount(count, "znode", "znodes"), job.toString()),
        QStringLiteral("delete what is below it, and workers look again within ten minutes; if that is refused, its "
                       "maker can do it, or ZooKeeper's superuser")};
}

} // namespace

async::Task<std::vector<std::optional<Reason>>> whyBlocked(Cluster cluster, QByteArray queue,
                                                           std::vector<QueueEntry> entries)
{
    std::vector<std::pair<zk::Path, zk::Reply<zk::Stat>>> asked;
    for (const QueueEntry &entry : entries) {
        const zk::Path path = cluster.layout.job(queue, entry);
        asked.emplace_back(path, cluster.zk.exists(path));
    }
    std::vector<std::optional<Reason>> reasons;
    for (const auto &[path, reply] : asked) {
        const zk::Answer<zk::Stat> stat = co_await reply;
        const bool isBlocked = stat.ok() && stat->numChildren > 0;
        reasons.push_back(isBlocked ? std::optional(aboutNodesBelow(path, stat->numChildren)) : std::nullopt);
    }
    co_return reasons;
}

QString blockedText(qint32 nodesBelow)
{
    return QStringLiteral("blocked: another program has made %1 below its own")
        .arg(text::formatCount(nodesBelow, "znode", "znodes"));
}

} // namespace drover::jobs
