#include "gui/feeds/znode_feed.h"

#include "gui/subtree/pacing.h"
#include "zk/node_life.h"

#include <algorithm>

namespace drover::gui {

using zk::Answer;

namespace {

constexpr async::Duration BetweenTries = std::chrono::seconds(5);

NodeCondition conditionOf(bool ok)
{
    return ok ? NodeCondition::Ok : NodeCondition::Missing;
}

ZnodeListing listingOf(const zk::Path &path, const Answer<zk::Children> &answer)
{
    ZnodeListing listing{path, conditionOf(answer.ok()), answer->names, answer->stat};
    std::sort(listing.names.begin(), listing.names.end());
    return listing;
}

// Of an open cluster: none.
QMap<QByteArray, QString> rolesOf(const jobs::Cluster &cluster)
{
    QMap<QByteArray, QString> roles;
    if (!cluster.credentials)
        return roles;
    for (const trust::Identities &identities :
         {cluster.credentials->identities, cluster.credentials->formerIdentities}) {
        for (const auto &[role, identity] : identities)
            roles.insert(identity, QString::fromLatin1(trust::roleName(role)));
    }
    return roles;
}

} // namespace

void ZnodeFeed::begin()
{
    const std::set<zk::Path> open = std::exchange(m_open, {});
    for (const zk::Path &path : open)
        this->open(path);
    if (m_selected)
        select(zk::Path(*m_selected));
    const std::map<int, Viewer> viewers = std::exchange(m_viewers, {});
    for (const auto &[viewer, known] : viewers)
        inspect(viewer, known.path);
}

void ZnodeFeed::end()
{
    m_following.clear();
    m_followingSelected.reset();
    m_aboutSelected.reset();
    m_listing.reset();
    for (auto &[viewer, known] : m_viewers)
        known.tasks.reset();
}

void ZnodeFeed::inspect(int viewer, const zk::Path &path)
{
    m_viewers.insert_or_assign(viewer, Viewer{path});
    if (!attached())
        return;
    std::unique_ptr<async::TaskGroup> &tasks = m_viewers.at(viewer).tasks = newGroup();
    tasks->spawn(followInspected(path));
}

void ZnodeFeed::inspectNoMore(int viewer)
{
    m_viewers.erase(viewer);
}

void ZnodeFeed::open(const zk::Path &path)
{
    if (m_open.size() >= MaxOpen && !m_open.contains(path)) {
        Q_EMIT tooManyOpen(int(MaxOpen));
        return;
    }
    m_open.insert(path);
    if (!attached() || m_following.contains(path))
        return;
    std::unique_ptr<async::TaskGroup> &group = m_following[path] = newGroup();
    group->spawn(follow(path));
}

void ZnodeFeed::close(const zk::Path &path)
{
    m_open.erase(path);
    m_following.erase(path);
}

void ZnodeFeed::select(const zk::Path &path)
{
    m_selected = path;
    m_followingSelected.reset();
    m_aboutSelected.reset();
    if (!attached())
        return;
    m_followingSelected = newGroup();
    m_followingSelected->spawn(followSelected(path));
}

void ZnodeFeed::readStats(const QList<zk::Path> &paths)
{
    if (attached() && !m_readingStats) // a Stat that is dropped is requested again when its row is painted
        spawn(readStatsOf(paths));
}

void ZnodeFeed::list(const zk::Path &path)
{
    m_listing.reset();
    if (!attached())
        return;
    m_listing = newGroup();
    m_listing->spawn(listOnce(path));
}

async::Task<void> ZnodeFeed::listOnce(zk::Path path)
{
    try {
        const Answer<zk::Children> answer = co_await cluster().zk.children(path);
        Q_EMIT listedOnce(listingOf(path, answer));
    } catch (const zk::AccessDenied &) {
        Q_EMIT listedOnce(ZnodeListing{path, NodeCondition::Denied, {}, {}});
    } catch (const zk::ConnectionLoss &) { // the next key that is pressed asks again
    }
}

async::Task<void> ZnodeFeed::follow(zk::Path path)
{
    const auto show = [this, path](const Answer<zk::Children> &answer) { Q_EMIT listed(listingOf(path, answer)); };
    for (;;) {
        try {
            co_await followPaced(cluster().zk, path, m_watches, show);
        } catch (const zk::AccessDenied &) {
            Q_EMIT listed(ZnodeListing{path, NodeCondition::Denied, {}, {}});
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) { // others may give back their watches
            Q_EMIT troubled(QString::fromUtf8(error.what()));
            Q_EMIT listed(ZnodeListing{path, NodeCondition::Unfollowed, {}, {}});
        }
        co_await async::sleepFor(cluster().zk.loop(), BetweenTries);
    }
}

async::Task<void> ZnodeFeed::followSelected(zk::Path path)
{
    const std::function<void(const ZnodeContents &)> show = [this](const ZnodeContents &contents) {
        Q_EMIT contentsRead(contents);
        m_aboutSelected = newGroup();
        if (contents.condition == NodeCondition::Ok)
            m_aboutSelected->spawn(readAbout(contents.path, contents.stat));
    };
    co_await followData(path, show);
}

async::Task<void> ZnodeFeed::followInspected(zk::Path path)
{
    const std::function<void(const ZnodeContents &)> show = [this](const ZnodeContents &contents) {
        Q_EMIT inspected(contents);
    };
    co_await followData(path, show);
}

async::Task<void> ZnodeFeed::followData(zk::Path path, std::function<void(const ZnodeContents &)> show)
{
    const auto take = [path, show](const Answer<zk::Node> &answer) {
        show(ZnodeContents{path, conditionOf(answer.ok()), answer->data, answer->stat});
    };
    for (;;) {
        try {
            co_await followDataPaced(cluster().zk, path, m_watches, take);
        } catch (const zk::AccessDenied &) {
            show(ZnodeContents{path, NodeCondition::Denied, {}, {}});
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            Q_EMIT troubled(QString::fromUtf8(error.what()));
            show(ZnodeContents{path, NodeCondition::Unfollowed, {}, {}});
        }
        co_await async::sleepFor(cluster().zk.loop(), BetweenTries);
    }
}

async::Task<void> ZnodeFeed::readAbout(zk::Path path, zk::Stat stat)
{
    ZnodeAbout about;
    about.path = path;
    about.roles = rolesOf(cluster());
    try {
        const Answer<zk::AclOfNode> answer = co_await cluster().zk.acl(path);
        about.acl = answer->acl;
        about.aversion = answer->stat.aversion;
    } catch (const zk::AccessDenied &) {
        about.trouble = tr("No permission to read its ACL");
    } catch (const zk::ConnectionLoss &) {
        about.trouble = tr("Not known: the connection broke");
    }
    if (const zk::SessionId session = zk::sessionOf(stat)) {
        const QString owner = co_await ownerOf(session);
        about.owner = owner;
    }
    Q_EMIT aboutRead(about);
}

// The worker of the cluster that has this session, or the console itself; empty: another program.
async::Task<QString> ZnodeFeed::ownerOf(zk::SessionId session)
{
    if (session == cluster().zk.sessionId())
        co_return tr("the session of this console");
    const zk::Path members = cluster().layout.members();
    try {
        const Answer<zk::Children> workers = co_await cluster().zk.children(members);
        std::vector<zk::Reply<zk::Stat>> replies;
        for (const QByteArray &worker : workers->names)
            replies.push_back(cluster().zk.exists(members / worker));
        for (std::size_t i = 0; i < replies.size(); ++i) {
            const Answer<zk::Stat> stat = co_await replies[i];
            if (stat.ok() && stat->ephemeralOwner == session)
                co_return tr("the session of worker %1").arg(QString::fromUtf8(workers->names[qsizetype(i)]));
        }
    } catch (const zk::AccessDenied &) {
    } catch (const zk::ConnectionLoss &) {
    }
    co_return QString();
}

async::Task<void> ZnodeFeed::readStatsOf(QList<zk::Path> paths)
{
    m_readingStats = true;
    const std::shared_ptr<void> done(nullptr, [this](void *) { m_readingStats = false; });
    QList<ZnodeStat> stats;
    try {
        std::vector<zk::Reply<zk::Stat>> replies;
        for (const zk::Path &path : paths)
            replies.push_back(cluster().zk.exists(path));
        for (std::size_t i = 0; i < replies.size(); ++i) {
            const Answer<zk::Stat> stat = co_await replies[i];
            stats.append(ZnodeStat{paths[qsizetype(i)], conditionOf(stat.ok()), *stat});
        }
    } catch (const zk::ConnectionLoss &) {
    }
    Q_EMIT statsRead(stats);
}

} // namespace drover::gui
