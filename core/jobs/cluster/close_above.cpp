#include "jobs/cluster/acl_change.h"
#include "jobs/cluster/close_tree.h"
#include "recipes/blocks/persistent.h"
#include "zk/permissions.h"

#include <algorithm>

namespace drover::jobs {

using zk::Answer;

namespace {

using Paths = std::vector<zk::Path>;

Paths whereOthersMakeNodes()
{
    return {zk::Path("/"), Layout::clusters()};
}

zk::AclList forAll(qint32 permissions, const zk::AclList &admins)
{
    zk::AclList acl{{permissions, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}};
    acl.insert(acl.end(), admins.begin(), admins.end());
    return acl;
}

zk::AclList adminsOf(const trust::Identities &identities, const trust::Identities &former)
{
    zk::AclList admins;
    for (const trust::Identities &present : {identities, former}) {
        const auto admin = present.find(trust::Role::Admin);
        if (admin != present.end())
            admins.push_back({zk::AllPermissions, QByteArrayLiteral("digest"), admin->second});
    }
    return admins;
}

// Whether the node has no children but these, as far as this session may see.
async::Task<bool> hasOnly(zk::Client &zk, zk::Path path, QByteArrayList names)
{
    try {
        const Answer<zk::Children> children = co_await recipes::Persistent(zk).children(path);
        co_return std::ranges::all_of(children->names, [&](const QByteArray &name) { return names.contains(name); });
    } catch (const zk::AccessDenied &) {
        co_return false;
    }
}

async::Task<bool> isOpenToMakeNodes(zk::Client &zk, zk::Path path)
{
    const auto allows = [](const zk::Acl &entry) {
        return entry.scheme == "world" && (entry.permissions & zk::CreatePermission) != 0;
    };
    try {
        const std::optional<zk::AclList> present = co_await presentAcl(zk, path);
        co_return present &&std::any_of(present->begin(), present->end(), allows);
    } catch (const zk::AccessDenied &) {
        co_return false;
    }
}

} // namespace

Paths nodesAbove()
{
    return {zk::Path("/"), zk::Path("/zookeeper"), zk::Path("/zookeeper/quota"), Layout::clusters()};
}

async::Task<void> closeAbove(zk::Client &zk, zk::AclList admins)
{
    const AclChange close = changedTo(forAll(zk::ReadPermission, admins));
    co_await zk.ensurePath(Layout::clusters());
    int changed = 0;
    for (const zk::Path &path : nodesAbove())
        co_await giveAcl(zk, path, close, &changed);
}

async::Task<Paths> closeAboveIfAlone(Cluster cluster, trust::Identities identities, trust::Identities former)
{
    zk::Client &zk = cluster.zk;
    const QByteArrayList ours{Layout::clusters().name(), QByteArrayLiteral("zookeeper")};
    const QByteArrayList own{cluster.layout.clusterName()};
    const bool isAlone = co_await hasOnly(zk, Layout::clusters(), own);
    const bool isServerOurs = co_await hasOnly(zk, zk::Path("/"), ours);
    Paths paths;
    if (isAlone)
        paths = isServerOurs ? nodesAbove() : Paths{Layout::clusters()};
    const AclChange close = changedTo(forAll(zk::ReadPermission, adminsOf(identities, former)));
    int changed = 0;
    co_await giveAclWhereAllowed(zk, paths, close, &changed);
    co_return co_await openAbove(zk);
}

async::Task<void> shareAbove(Cluster cluster, trust::Identities identities, trust::Identities former)
{
    const Paths open = co_await openAbove(cluster.zk);
    Paths closed = whereOthersMakeNodes();
    std::erase_if(closed, [&open](const zk::Path &path) { return std::ranges::count(open, path) > 0; });
    const AclChange share = changedTo(forAll(zk::ReadPermission | zk::CreatePermission, adminsOf(identities, former)));
    int changed = 0;
    co_await giveAclWhereAllowed(cluster.zk, closed, share, &changed);
}

async::Task<Paths> openAbove(zk::Client &zk)
{
    Paths open;
    for (const zk::Path &path : whereOthersMakeNodes()) {
        const bool isOpen = co_await isOpenToMakeNodes(zk, path);
        if (isOpen)
            open.push_back(path);
    }
    co_return open;
}

} // namespace drover::jobs
