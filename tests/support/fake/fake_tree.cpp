#include "support/fake/fake_tree.h"

#include "support/ephemeral_owner.h"
#include "support/fake/fake_tree_writer.h"
#include "support/seeded_random.h"

namespace drover::test {

using zk::Code;
using zk::Path;
using zk::Response;

FakeTree::FakeTree()
{
    for (const char *path : {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}) {
        const Path added(path);
        m_nodes[added.bytes()];
        if (!added.isRoot())
            m_nodes[added.parent().bytes()].children.insert(added.name());
    }
    Znode &configuration = m_nodes["/zookeeper/config"];
    configuration.acl = {zk::Acl{1, "world", "anyone"}};
    configuration.stat.aversion = -1;
}

const FakeTree::Znode *FakeTree::find(const Path &path) const
{
    const auto found = m_nodes.find(path.bytes());
    return found == m_nodes.end() ? nullptr : &found->second;
}

zk::Stat FakeTree::statOf(const Znode &node)
{
    zk::Stat stat = node.stat;
    if (!isSessionOwner(stat.ephemeralOwner))
        stat.ephemeralOwner = 0;
    stat.dataLength = static_cast<qint32>(node.data.size());
    stat.numChildren = static_cast<qint32>(node.children.size());
    // DataNode.copyStat(): creates plus deletes, from creates and what is left.
    stat.cversion =
        static_cast<qint32>(static_cast<quint32>(stat.cversion) * 2 - static_cast<quint32>(stat.numChildren));
    return stat;
}

std::optional<FakeTree::Znode> FakeTree::at(const Path &path, zk::Zxid view) const
{
    std::optional<Znode> node;
    if (const Znode *newest = find(path))
        node = *newest;
    const auto past = m_past.find(path.bytes());
    if (past == m_past.end())
        return node;
    for (auto change = past->second.rbegin(); change != past->second.rend() && change->changedBy > view; ++change) {
        if (!change->before) {
            node.reset();
            continue;
        }
        std::set<QByteArray> children = node ? std::move(node->children) : std::set<QByteArray>();
        if (change->hadChild)
            children.insert(change->child);
        else
            children.erase(change->child);
        node = change->before;
        node->children = std::move(children);
    }
    return node;
}

Response FakeTree::read(const zk::ExistsRequest &, const Znode &node)
{
    Response response;
    response.stat = statOf(node);
    return response;
}

Response FakeTree::read(const zk::GetRequest &, const Znode &node)
{
    Response response;
    response.stat = statOf(node);
    response.data = node.data;
    return response;
}

// A server lists a hash table. Ours are shuffled, so that no program relies on an order, but always in the same way.
Response FakeTree::read(const zk::ChildrenRequest &, const Znode &node)
{
    Response response;
    response.stat = statOf(node);
    response.children = QByteArrayList(node.children.begin(), node.children.end());
    SeededRandom random(static_cast<quint64>(node.stat.pzxid));
    for (qsizetype i = response.children.size() - 1; i > 0; --i)
        response.children.swapItemsAt(i, random.below(static_cast<int>(i) + 1));
    return response;
}

Response FakeTree::read(const zk::GetAclRequest &, const Znode &node)
{
    Response response;
    response.stat = statOf(node);
    response.acl = node.acl;
    return response;
}

namespace {

template <typename Request>
bool mayRead(const Request &, const FakeTree::Znode &node, const std::vector<QByteArray> &digests)
{
    if constexpr (std::is_same_v<Request, zk::ExistsRequest>)
        return true;
    const bool shown = allows(node.acl, Permission::Read, digests);
    if constexpr (std::is_same_v<Request, zk::GetAclRequest>)
        return shown || allows(node.acl, Permission::Admin, digests);
    return shown;
}

} // namespace

Response FakeTree::read(const zk::Request &request, zk::Zxid view, const std::vector<QByteArray> &digests) const
{
    const auto past = m_past.find(zk::pathOf(request).bytes());
    const bool changedSince = past != m_past.end() && past->second.back().changedBy > view;
    const std::optional<Znode> was = changedSince ? at(zk::pathOf(request), view) : std::nullopt;
    const Znode *node = !changedSince ? find(zk::pathOf(request)) : was ? &*was : nullptr;
    Response response;
    std::visit(
        [&](const auto &r) {
            if constexpr (requires { read(r, *node); }) {
                if (!node)
                    response.code = Code::NoNode;
                else if (!mayRead(r, *node, digests))
                    response.code = Code::NoAuth;
                else
                    response = read(r, *node);
            }
        },
        request);
    if (node && !response.acl.empty() && !allows(node->acl, Permission::Admin, digests))
        response.acl = masked(response.acl);
    return response;
}

FakeTree::Outcome FakeTree::apply(const zk::Request &request, const Context &context)
{
    Writer writer(*this, context);
    return writer.write(request);
}

FakeTree::Outcome FakeTree::closeSession(zk::SessionId session, zk::Zxid zxid)
{
    Writer writer(*this, Context{session, zxid, 0, {}});
    const auto owned = m_ephemerals.find(session);
    if (owned != m_ephemerals.end()) {
        const std::set<QByteArray> paths = owned->second;
        for (const QByteArray &path : paths)
            writer.erase(Path(path));
    }
    return writer.takeOutcome();
}

std::vector<Path> FakeTree::outlived(qint64 wallTime) const
{
    std::vector<Path> found;
    for (const QByteArray &path : m_perishable) {
        const Znode &node = m_nodes.at(path);
        const qint64 owner = node.stat.ephemeralOwner;
        const bool due = isTtlOwner(owner) ? wallTime - node.stat.mtime > ttlOf(owner)
                                           : node.stat.cversion > 0; // a container never used is kept
        if (due && node.children.empty())
            found.push_back(Path(path));
    }
    return found;
}

bool FakeTree::hasPerishable() const
{
    for (const QByteArray &path : m_perishable) {
        const Znode &node = m_nodes.at(path);
        if (node.children.empty() && (isTtlOwner(node.stat.ephemeralOwner) || node.stat.cversion > 0))
            return true;
    }
    return false;
}

FakeTree::Outcome FakeTree::removeOutlived(const Path &path, zk::Zxid zxid)
{
    Writer writer(*this, Context{0, zxid, 0, {}});
    writer.erase(path);
    return writer.takeOutcome();
}

void FakeTree::setNextSequence(const Path &path, qint32 number)
{
    m_nodes.at(path.bytes()).stat.cversion = number;
}

void FakeTree::setVersion(const Path &path, qint32 version)
{
    m_nodes.at(path.bytes()).stat.version = version;
}

QByteArray FakeTree::dump() const
{
    QByteArray text;
    for (const auto &[path, node] : m_nodes) {
        text += path;
        if (node.stat.ephemeralOwner == ContainerOwner)
            text += " [container]";
        else if (isTtlOwner(node.stat.ephemeralOwner))
            text += " [ttl " + QByteArray::number(ttlOf(node.stat.ephemeralOwner)) + ']';
        else if (node.stat.ephemeralOwner != 0)
            text += " [" + QByteArray::number(node.stat.ephemeralOwner, 16) + ']';
        if (!node.data.isEmpty())
            text += ' ' + node.data;
        text += '\n';
    }
    return text;
}

} // namespace drover::test
