#include "app/doctor/checks.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/rights.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::app {

using Level = Finding::Level;

namespace {

// The nodes whose rights differ. All are asked for at once; nodes that may not be read, or have gone, are left out.
async::Task<QStringList> differing(jobs::Cluster cluster, std::vector<zk::Path> paths,
                                   std::shared_ptr<const trust::Credentials> credentials)
{
    const jobs::Rights roles =
        jobs::rightsIn(jobs::aclOf(cluster.layout, cluster.layout.root(), credentials->identities), credentials.get());
    const auto isForeign = [&](const auto &right) { // an administrator may have given others some
        return right.first != jobs::Anyone && !roles.contains(right.first);
    };
    std::vector<zk::Reply<zk::AclOfNode>> replies;
    for (const zk::Path &path : paths)
        replies.push_back(cluster.zk.acl(path));
    QStringList others;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        try {
            const zk::Answer<zk::AclOfNode> present = co_await replies[i];
            const jobs::Rights wanted =
                jobs::rightsIn(jobs::aclOf(cluster.layout, paths[i], credentials->identities), credentials.get());
            if (!present.ok())
                continue;
            jobs::Rights given = jobs::rightsIn(present->acl, credentials.get());
            std::erase_if(given, isForeign);
            if (given != wanted)
                others.append(QString::fromUtf8(paths[i].c_str()));
        } catch (const zk::AccessDenied &) {
        }
    }
    co_return others;
}

async::Task<std::vector<zk::Path>> below(jobs::Cluster cluster, zk::Path path)
{
    std::vector<zk::Path> paths;
    try {
        const zk::Answer<zk::Children> children = co_await recipes::Persistent(cluster.zk).children(path);
        for (const QByteArray &name : children->names)
            paths.push_back(path / name);
    } catch (const zk::AccessDenied &) {
    }
    co_return paths;
}

// Locks and limits may be another program's, and have a check of their own, checkSharedNodes().
async::Task<std::vector<zk::Path>> nodesOf(jobs::Cluster cluster)
{
    const zk::Path locks = cluster.layout.locks();
    const zk::Path limits = cluster.layout.limits();
    std::vector<zk::Path> all{cluster.layout.root()};
    std::vector<zk::Path> level = co_await below(cluster, cluster.layout.root());
    all.insert(all.end(), level.begin(), level.end());
    for (const zk::Path &path : level) {
        if (all.size() >= MostNodes)
            break;
        if (path == locks || path == limits)
            continue;
        const std::vector<zk::Path> children = co_await below(cluster, path);
        all.insert(all.end(), children.begin(), children.end());
    }
    all.resize(std::min(all.size(), MostNodes), cluster.layout.root());
    co_return all;
}

} // namespace

async::Task<void> checkAcls(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                            Findings &findings)
{
    if (!credentials)
        co_return;
    std::vector<zk::Path> paths = co_await nodesOf(cluster);
    const QStringList others = co_await differing(cluster, std::move(paths), credentials);
    if (others.isEmpty())
        co_return;
    const QString count =
        others.size() == 1 ? QStringLiteral("a node has") : QStringLiteral("%1 nodes have").arg(others.size());
    findings.append(
        {Level::Warning, QStringLiteral("access rights"),
         QStringLiteral("%1 other rights than this version gives: %2").arg(count, others.front()),
         QStringLiteral("once all workers have this version, an administrator gives each node the rights of "
                        "the table and takes all others away: drover cluster secure")});
}

} // namespace drover::app
