#include "jobs/cluster/members.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::jobs {

using zk::Answer;

async::Task<std::vector<StoredMember>> readMembers(Cluster cluster)
{
    const std::vector<ReadChild> children = co_await readChildren(cluster.zk, cluster.layout.members());
    std::vector<StoredMember> members;
    for (const ReadChild &child : children) {
        StoredMember member{child.name, std::nullopt, {}, child.node.stat};
        try {
            member.info = WorkerInfo::decode(child.node.data);
            member.info->id = QString::fromUtf8(child.name); // part of paths, and the record may name anything
        } catch (const Malformed &error) {
            member.malformed = QString::fromUtf8(error.what());
        }
        members.push_back(std::move(member));
    }
    co_return members;
}

async::Task<std::vector<StoredClaim>> readClaims(Cluster cluster)
{
    const std::vector<ReadChild> children = co_await readChildren(cluster.zk, cluster.layout.claims());
    std::vector<StoredClaim> claims;
    for (const ReadChild &child : children) {
        const std::optional<JobId> id = JobId::parse(QString::fromUtf8(child.name));
        if (!id)
            continue;
        if (const std::optional<Claim> claim = tryDecode<Claim>(child.node.data)) // otherwise it belongs to no job
            claims.push_back({*id, *claim, child.node.stat});
    }
    std::sort(claims.begin(), claims.end(), [](const auto &a, const auto &b) { return a.id < b.id; });
    co_return claims;
}

std::set<JobId> runningJobs(const std::vector<StoredClaim> &claims)
{
    std::set<JobId> running;
    for (const StoredClaim &claim : claims) {
        if (claim.runs())
            running.insert({claim.id, claim.id.array()});
    }
    return running;
}

async::Task<void> measureClock(Cluster cluster, QByteArray worker, zk::ServerClock &clock)
{
    const zk::Path member = cluster.layout.members() / worker;
    bool isMeasured = false;
    try {
        while (!isMeasured) { // again, if the worker has described itself meanwhile, or the reply was lost
            const Answer<zk::Node> own = co_await recipes::Persistent(cluster.zk).get(member);
            if (!own.ok())
                co_return;
            const zk::ServerClock::Instant sent = cluster.zk.loop().wallClock();
            const Answer<zk::Stat> written =
                co_await recipes::Persistent(cluster.zk).set(member, own->data, own->stat.version);
            isMeasured = written.ok();
            if (isMeasured)
                clock.measured(sent, cluster.zk.loop().wallClock(), zk::ServerClock::Instant(written->mtime));
        }
    } catch (const zk::AccessDenied &) {
        // An administrator has changed the node.
    }
}

} // namespace drover::jobs
