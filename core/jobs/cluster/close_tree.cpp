#include "jobs/cluster/close_tree.h"

#include "async/task_group.h"
#include "jobs/cluster/acl_change.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"
#include "zk/permissions.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::jobs {

using namespace std::chrono_literals;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcCloseTree, "drover.jobs.close_tree")

namespace {

using Paths = std::vector<zk::Path>;

Paths directoriesOf(const Layout &layout)
{
    return {layout.certificates(), layout.members(),        layout.outputs(), layout.throttle(),
            layout.master(),       layout.queues(),         layout.waiting(), layout.dedupe(),
            layout.submitters(),   layout.claims(),         layout.cancels(), layout.audit(),
            layout.cordons(),      layout.idle(),           layout.done(),    layout.schedules(),
            layout.locks(),        layout.limits(),         layout.gangs(),   layout.elections(),
            layout.barriers(),     layout.doubleBarriers(), layout.groups(),  layout.settings(),
            layout.counters(),     layout.items(),          layout.files(),   layout.historyLock().parent()};
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

bool names(const zk::AclList &list, const zk::Acl &identity)
{
    return std::any_of(list.begin(), list.end(), [&](const zk::Acl &entry) {
        return entry.scheme == identity.scheme && entry.id == identity.id;
    });
}

struct Walk {
    zk::Client &zk;
    AclChange change;
    std::optional<zk::Path> passesBelow{}; // there it passes over what it may not change
    int changed = 0;
    Paths passed{};
};

// Adds the children that the node has once its list is changed. Who may create nodes can keep one to themselves.
async::Task<void> visitNode(Walk *walk, zk::Path path, Paths *below)
{
    try {
        co_await giveAcl(walk->zk, path, walk->change, &walk->changed);
        const Answer<zk::Children> children = co_await recipes::Persistent(walk->zk).children(path);
        for (const QByteArray &name : children->names)
            below->push_back(path / name);
    } catch (const zk::AccessDenied &) {
        if (!walk->passesBelow || path == *walk->passesBelow)
            throw;
        walk->passed.push_back(path);
    }
}

async::Task<void> visitFlight(Walk *walk, Paths paths, Paths *below)
{
    std::exception_ptr failure;
    async::TaskGroup visiting([&failure](const std::exception_ptr &error) { failure = error; });
    for (const zk::Path &path : paths)
        visiting.spawn(visitNode(walk, path, below));
    co_await visiting.drained();
    if (failure)
        std::rethrow_exception(failure);
}

async::Task<void> visitAll(Walk *walk, Paths level)
{
    while (!level.empty()) {
        Paths next;
        for (std::size_t begin = 0; begin < level.size(); begin += Flight) {
            const auto from = level.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto to = level.begin() + static_cast<std::ptrdiff_t>(std::min(begin + Flight, level.size()));
            co_await visitFlight(walk, Paths(from, to), &next);
        }
        level = std::move(next);
    }
}

void tellPassed(const Walk &walk)
{
    if (!walk.passed.empty())
        qCWarning(lcCloseTree, "access to %zu nodes stays as others have set it, the first is %s", walk.passed.size(),
                  walk.passed.front().c_str());
}

async::Task<Paths> childrenOf(zk::Client &zk, zk::Path path)
{
    const Answer<zk::Children> children = co_await recipes::Persistent(zk).children(path);
    Paths paths;
    for (const QByteArray &name : children->names)
        paths.push_back(path / name);
    co_return paths;
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

async::Task<int> closeTree(Cluster cluster, trust::Identities identities, trust::Identities former)
{
    const zk::Path root = cluster.layout.root();
    co_await cluster.zk.ensurePath(root);
    co_await ensureDirectories(cluster);
    const std::optional<zk::AclList> before = co_await presentAcl(cluster.zk, root);
    if (before == aclOf(cluster.layout, root, identities, former))
        co_return 0;
    co_return co_await applyAclTable(cluster, identities, former);
}

async::Task<int> applyAclTable(Cluster cluster, trust::Identities identities, trust::Identities former)
{
    const zk::Path root = cluster.layout.root();
    const zk::AclList ofRoot = aclOf(cluster.layout, root, identities, former);
    co_await ensureDirectories(cluster);
    const AclChange byTable = [layout = cluster.layout, identities, former](const zk::Path &path, const zk::AclList &) {
        return aclOf(layout, path, identities, former);
    };
    Walk walk{cluster.zk, byTable, root};
    const Paths first = co_await childrenOf(cluster.zk, root);
    co_await visitAll(&walk, first);
    co_await giveAcl(cluster.zk, root, changedTo(ofRoot), &walk.changed);
    const Paths late = co_await childrenOf(cluster.zk, root); // what strangers have made since
    walk.passed.clear(); // it meets them again
    co_await visitAll(&walk, late);
    tellPassed(walk);
    co_return walk.changed;
}

async::Task<int> updateDirectories(Cluster cluster, trust::Identities identities, trust::Identities former)
{
    const AclChange update = [layout = cluster.layout, identities, former](const zk::Path &path,
                                                                           const zk::AclList &present) {
        zk::AclList list = aclOf(layout, path, identities, former);
        for (const zk::Acl &entry : present) {
            if (!names(list, entry))
                list.push_back(entry);
        }
        return list;
    };
    int changed = 0;
    for (const zk::Path &path : directoriesOf(cluster.layout))
        co_await giveAcl(cluster.zk, path, update, &changed);
    co_return changed;
}

namespace {

async::Task<int> changeAll(Cluster cluster, AclChange change)
{
    Walk walk{cluster.zk, std::move(change), cluster.layout.root()};
    co_await giveAclWhereAllowed(cluster.zk, nodesAbove(), walk.change, &walk.changed); // others may have the say there
    const Paths first{cluster.layout.root()};
    co_await visitAll(&walk, first);
    tellPassed(walk);
    co_return walk.changed;
}

// What the entry of a former identity is for the role's new one; nothing if it is of no former identity.
std::optional<zk::Acl> twinOf(const zk::Acl &entry, const trust::Identities &identities,
                              const trust::Identities &former)
{
    for (const auto &[role, identity] : former) {
        if (entry.scheme == "digest" && entry.id == identity)
            return zk::Acl{entry.permissions, entry.scheme, identities.at(role)};
    }
    return std::nullopt;
}

zk::AclList withTwins(const zk::AclList &present, const trust::Identities &identities, const trust::Identities &former)
{
    zk::AclList both;
    for (const zk::Acl &entry : present) {
        const std::optional<zk::Acl> twin = twinOf(entry, identities, former);
        if (twin && !names(present, *twin))
            both.push_back(*twin);
    }
    both.insert(both.end(), present.begin(), present.end());
    return both;
}

} // namespace

async::Task<int> addIdentities(Cluster cluster, trust::Identities identities, trust::Identities former)
{
    const AclChange add = [identities, former](const zk::Path &, const zk::AclList &present) {
        return withTwins(present, identities, former);
    };
    const int changed = co_await changeAll(cluster, add);
    co_return changed;
}

async::Task<int> replaceIdentities(Cluster cluster, trust::Identities identities, trust::Identities former)
{
    const AclChange replace = [=, renewals = cluster.layout.renewals()](const zk::Path &path,
                                                                        const zk::AclList &present) {
        const bool isRenewal = path.bytes().startsWith(renewals.bytes() + '/');
        zk::AclList list;
        for (const zk::Acl &entry : withTwins(present, identities, former)) {
            const bool isFormer = twinOf(entry, identities, former).has_value();
            if (!isFormer)
                list.push_back(entry);
            else if (isRenewal)
                list.push_back({zk::ReadPermission, entry.scheme, entry.id});
        }
        return list;
    };
    const int changed = co_await changeAll(cluster, replace);
    co_return changed;
}

async::Task<std::optional<bool>> isOpen(Cluster cluster)
{
    const auto isOfAll = [](const zk::Acl &entry) { return entry.scheme == "world"; };
    try {
        const std::optional<zk::AclList> present = co_await presentAcl(cluster.zk, cluster.layout.root());
        if (!present)
            co_return std::nullopt;
        co_return std::any_of(present->begin(), present->end(), isOfAll);
    } catch (const zk::AccessDenied &) {
        co_return false;
    }
}

async::Task<void> untilClosed(Cluster cluster)
{
    constexpr async::Duration Pause = 5s;
    for (;;) {
        const std::optional<bool> open = co_await isOpen(cluster);
        if (open == false)
            co_return;
        co_await async::sleepFor(cluster.zk.loop(), Pause);
    }
}

} // namespace drover::jobs
