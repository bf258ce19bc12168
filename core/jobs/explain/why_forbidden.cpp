#include "jobs/cluster/rights.h"
#include "jobs/explain/reasons.h"

namespace drover::jobs {

namespace {

using zk::Answer;

constexpr qint32 ToClaim = zk::ReadPermission | zk::WritePermission;

bool isClaimedAsItIs(const QueueEntry &entry)
{
    return entry.jobClass == QueueEntry::Class::Ready || entry.jobClass == QueueEntry::Class::Array;
}

Reason aboutAcl(const zk::Path &job, bool isClosed)
{
    return {
        QStringLiteral("the ACL of %1 does not let workers read and write it: none begins the job").arg(job.toString()),
        isClosed ? QStringLiteral("cancel it, or let an administrator give it the rights of other jobs: drover cluster "
                                  "secure; workers look again within ten minutes")
                 : QStringLiteral("cancel it, or give workers these rights; they look again within ten minutes")};
}

// `reply` is of a node that each role may read in a closed cluster.
async::Task<std::optional<Reason>> aboutJob(Cluster cluster, zk::Path job, zk::Reply<zk::AclOfNode> reply)
{
    const trust::Credentials *const credentials = cluster.credentials.get();
    bool isLeftAlone = credentials != nullptr;
    try {
        const Answer<zk::AclOfNode> answer = co_await reply;
        isLeftAlone = answer.ok() && !mayWorkers(ToClaim, answer->acl, credentials);
    } catch (const zk::AccessDenied &) {
    }
    co_return isLeftAlone ? std::optional(aboutAcl(job, credentials != nullptr)) : std::nullopt;
}

} // namespace

async::Task<std::vector<std::optional<Reason>>> whyForbidden(Cluster cluster, QByteArray queue,
                                                             std::vector<QueueEntry> entries)
{
    std::vector<std::optional<zk::Reply<zk::AclOfNode>>> replies;
    for (const QueueEntry &entry : entries)
        replies.push_back(isClaimedAsItIs(entry) ? std::optional(cluster.zk.acl(cluster.layout.job(queue, entry)))
                                                 : std::nullopt);
    std::vector<std::optional<Reason>> reasons;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        std::optional<Reason> reason;
        if (replies[i])
            reason = co_await aboutJob(cluster, cluster.layout.job(queue, entries[i]), *replies[i]);
        reasons.push_back(std::move(reason));
    }
    co_return reasons;
}

} // namespace drover::jobs
