#include "jobs/cluster/close_tree.h"

#include "async/task_group.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::jobs {

using zk::Answer;
using zk::Code;

namespace {

using Paths = std::vector<zk::Path>;

Paths directoriesOf(const Layout &layout)
{
    return {layout.certificates(),
            layout.members(),
            layout.master(),
            layout.queues(),
            layout.waiting(),
            layout.dedupe(),
            layout.submitters(),
            layout.claims(),
            layout.cancels(),
            layout.cordons(),
            layout.idle(),
            layout.done(),
            layout.schedules(),
            layout.locks(),
            layout.limits(),
            layout.gangs(),
            layout.elections(),
            layout.barriers(),
            layout.doubleBarriers(),
            layout.groups(),
            layout.settings(),
            layout.counters(),
            layout.items(),
            layout.files(),
            layout.historyLock().parent()};
}

async::Task<void> create(zk::Client &zk, Paths paths)
{
    std::vector<zk::Reply<zk::Created>> creating;
    for (const zk::Path &path : paths)
        creating.push_back(zk.create(path, QByteArray()));
    for (const zk::Reply<zk::Created> &reply : creating) {
        const Answer<zk::Created> created = co_await reply;
        created.requireUnless(Code::NodeExists);
    }
}

// Whether the node has, or now gets, the list. False if another client has changed its ACL meanwhile. A node that has
// gone is done with.
async::Task<bool> giveAcl(zk::Client &zk, zk::Path path, zk::AclList wanted, int *changed)
{
    const Answer<zk::AclOfNode> present = co_await zk.acl(path);
    if (!present.ok() || present->acl == wanted)
        co_return true;
    const Answer<zk::Nothing> set = co_await zk.setAcl(path, wanted, present->stat.aversion);
    if (set.ok())
        ++*changed;
    co_return !set.is(Code::BadVersion);
}

async::Task<void> giveAclAtLast(zk::Client &zk, zk::Path path, zk::AclList wanted, int *changed)
{
    for (;;) {
        try {
            const bool given = co_await giveAcl(zk, path, wanted, changed);
            if (given)
                co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

struct Walk {
    zk::Client &zk;
    Layout layout;
    trust::Identities identities;
    int changed = 0;
};

// Adds the children that the node has once it is closed.
async::Task<void> closeNode(Walk *walk, zk::Path path, Paths *below)
{
    const zk::AclList wanted = aclOf(walk->layout, path, walk->identities);
    co_await giveAclAtLast(walk->zk, path, wanted, &walk->changed);
    const Answer<zk::Children> children = co_await recipes::Persistent(walk->zk).children(path);
    for (const QByteArray &name : children->names)
        below->push_back(path / name);
}

async::Task<void> closeFlight(Walk *walk, Paths paths, Paths *below)
{
    std::exception_ptr failure;
    async::TaskGroup closing([&failure](const std::exception_ptr &error) { failure = error; });
    for (const zk::Path &path : paths)
        closing.spawn(closeNode(walk, path, below));
    co_await closing.drained();
    if (failure)
        std::rethrow_exception(failure);
}

async::Task<void> closeBelow(Walk *walk, Paths level)
{
    while (!level.empty()) {
        Paths next;
        for (std::size_t begin = 0; begin < level.size(); begin += Flight) {
            const auto from = level.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto to = level.begin() + static_cast<std::ptrdiff_t>(std::min(begin + Flight, level.size()));
            co_await closeFlight(walk, Paths(from, to), &next);
        }
        level = std::move(next);
    }
}

async::Task<Paths> childrenOf(zk::Client &zk, zk::Path path)
{
    const Answer<zk::Children> children = co_await recipes::Persistent(zk).children(path);
    Paths paths;
    for (const QByteArray &name : children->names)
        paths.push_back(path / name);
    co_return paths;
}

async::Task<bool> hasAcl(zk::Client &zk, zk::Path path, zk::AclList wanted)
{
    for (;;) {
        try {
            const Answer<zk::AclOfNode> present = co_await zk.acl(path);
            co_return present.ok() && present->acl == wanted;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

async::Task<void> ensureDirectories(Cluster cluster)
{
    for (;;) {
        try {
            co_await create(cluster.zk, directoriesOf(cluster.layout));
            co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
}

} // namespace

async::Task<int> closeTree(Cluster cluster, trust::Identities identities)
{
    const zk::Path root = cluster.layout.root();
    const zk::AclList ofRoot = aclOf(cluster.layout, root, identities);
    co_await cluster.zk.ensurePath(root);
    co_await ensureDirectories(cluster);
    Walk walk{cluster.zk, cluster.layout, std::move(identities)};
    const bool closedBefore = co_await hasAcl(cluster.zk, root, ofRoot);
    if (closedBefore)
        co_return 0;
    const Paths first = co_await childrenOf(cluster.zk, root);
    co_await closeBelow(&walk, first);
    co_await giveAclAtLast(cluster.zk, root, ofRoot, &walk.changed);
    const Paths late = co_await childrenOf(cluster.zk, root); // what strangers have made since
    co_await closeBelow(&walk, late);
    co_return walk.changed;
}

async::Task<void> closeAbove(zk::Client &zk, zk::AclList admins)
{
    constexpr qint32 Read = 1;
    zk::AclList acl{{Read, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}};
    acl.insert(acl.end(), admins.begin(), admins.end());
    co_await zk.ensurePath(Layout::clusters());
    int changed = 0;
    for (const char *const path : {"/", "/zookeeper", "/zookeeper/quota"})
        co_await giveAclAtLast(zk, zk::Path(path), acl, &changed);
    co_await giveAclAtLast(zk, Layout::clusters(), acl, &changed);
}

async::Task<std::optional<bool>> isOpen(Cluster cluster)
{
    for (;;) {
        try {
            const Answer<zk::AclOfNode> present = co_await cluster.zk.acl(cluster.layout.root());
            if (!present.ok())
                co_return std::nullopt;
            co_return std::any_of(present->acl.begin(), present->acl.end(),
                                  [](const zk::Acl &entry) { return entry.scheme == "world"; });
        } catch (const zk::AccessDenied &) {
            co_return false;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await cluster.zk.connected();
    }
}

} // namespace drover::jobs
