#include "core/recipes/invariant_checker.h"

namespace drover::test {

InvariantChecker::Hold::Hold(InvariantChecker &checker, QByteArray what, recipes::Fence fence,
                             const zk::Client &session, Share share)
    : m_checker(checker), m_what(std::move(what)), m_fence(std::move(fence)), m_session(&session), m_share(share)
{
    checker.m_holds.push_back(this);
    checker.check(m_what);
}

InvariantChecker::Hold::~Hold()
{
    std::erase(m_checker.m_holds, this);
}

InvariantChecker::InvariantChecker(FakeZooKeeper &server) : m_tree(std::as_const(server).tree())
{
    server.onEviction([this](zk::SessionId session) { m_evicted.insert(session); });
}

bool InvariantChecker::accepts(const recipes::Fence &fence) const
{
    const FakeTree::Znode *node = m_tree.find(fence.path);
    if (!node || node->stat.czxid != fence.czxid)
        return false;
    const FakeTree::Znode *epoch = fence.epoch ? m_tree.find(fence.epoch->path) : nullptr;
    return !fence.epoch || (epoch && epoch->stat.version == fence.epoch->version);
}

bool InvariantChecker::mayBelieve(const Hold &hold) const
{
    const zk::Client *const session = hold.m_session;
    if (!session || session->state() == zk::Client::State::Lost || m_evicted.contains(session->sessionId()))
        return false;
    if (session->loop().now() >= session->aliveUntil())
        return false;
    const bool deletedByIntruder = hold.m_fence.czxid < m_lastIntrusion && !accepts(hold.m_fence);
    return !deletedByIntruder;
}

void InvariantChecker::check(const QByteArray &what)
{
    int accepted = 0;
    int believed = 0;
    int room = 0;
    bool allTrue = true;
    for (const Hold *hold : m_holds) {
        if (hold->m_what != what)
            continue;
        room = std::max(room, hold->m_share.room);
        const bool isAccepted = accepts(hold->m_fence);
        accepted += isAccepted ? hold->m_share.weight : 0;
        if (mayBelieve(*hold)) {
            believed += hold->m_share.weight;
            allTrue = allTrue && isAccepted;
        }
    }
    const QString name = QString::fromUtf8(what);
    require(believed <= room, QStringLiteral("too many may believe at once that they hold %1").arg(name));
    require(allTrue, QStringLiteral("a process may believe that it holds %1, and has no node for it").arg(name));
    require(accepted <= room, QStringLiteral("too many hold %1 at once").arg(name));
}

void InvariantChecker::committed(const FakeZooKeeper::Commit &commit)
{
    if (m_intruders.contains(commit.session))
        m_lastIntrusion = commit.zxid;
    for (const Hold *hold : m_holds)
        check(hold->m_what);
    checkTokens();
}

void InvariantChecker::checkTokens()
{
    const FakeTree::Znode *resources = m_tree.find(zk::Path("/resource"));
    if (!resources)
        return;
    for (const QByteArray &name : resources->children) {
        const zk::Zxid token = m_tree.find(resource(name))->data.toLongLong();
        zk::Zxid &newest = m_tokens[name];
        require(token >= newest,
                QStringLiteral("%1: a deposed holder's write was accepted").arg(QString::fromUtf8(name)));
        newest = std::max(newest, token);
    }
}

void InvariantChecker::require(bool holds, const QString &otherwise)
{
    if (!holds && m_violations.size() < 5)
        m_violations.push_back(otherwise);
}

} // namespace drover::test
