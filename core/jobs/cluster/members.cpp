#include "jobs/cluster/members.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::jobs {

using zk::Answer;

async::Task<std::vector<StoredMember>> readMembers(Cluster cluster)
{
    const std::vector<NamedNode> children = co_await readChildren(cluster.zk, cluster.layout.members());
    std::vector<StoredMember> members;
    for (const NamedNode &child : children) {
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
    const std::vector<NamedNode> children = co_await readChildren(cluster.zk, cluster.layout.claims());
    std::vector<StoredClaim> claims;
    for (const NamedNode &child : children) {
        const std::optional<JobId> id = JobId::parse(QString::fromUtf8(child.name));
        if (!id)
            continue;
        if (const std::optional<Claim> claim = tryDecode<Claim>(child.node.data)) // otherwise it belongs to no job
            claims.push_back({*id, *claim, child.node.stat});
    }
    std::sort(claims.begin(), claims.end(), [](const auto &a, const auto &b) { return a.id < b.id; });
    co_return claims;
}

} // namespace drover::jobs
