#include "core/recipes/judge.h"

namespace drover::test {

Judge::Hold::Hold(Judge &judge, QByteArray what, recipes::Fence fence, Share share)
    : m_judge(judge), m_what(std::move(what)), m_fence(std::move(fence)), m_share(share)
{
    judge.m_holds.push_back(this);
    judge.count(m_what);
}

Judge::Hold::~Hold()
{
    std::erase(m_judge.m_holds, this);
}

bool Judge::accepts(const recipes::Fence &fence) const
{
    const FakeTree::Znode *node = m_tree.find(fence.path);
    if (!node || node->stat.czxid != fence.czxid)
        return false;
    const FakeTree::Znode *epoch = fence.epoch ? m_tree.find(fence.epoch->path) : nullptr;
    return !fence.epoch || (epoch && epoch->stat.version == fence.epoch->version);
}

void Judge::count(const QByteArray &what)
{
    int held = 0;
    int room = 0;
    for (const Hold *hold : m_holds) {
        if (hold->m_what == what && accepts(hold->m_fence)) {
            held += hold->m_share.weight;
            room = std::max(room, hold->m_share.room);
        }
    }
    require(held <= room, QStringLiteral("too many hold %1 at once").arg(QString::fromUtf8(what)));
}

void Judge::committed()
{
    for (const Hold *hold : m_holds)
        count(hold->m_what);
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

void Judge::require(bool holds, const QString &otherwise)
{
    if (!holds && m_violations.size() < 5)
        m_violations.push_back(otherwise);
}

} // namespace drover::test
