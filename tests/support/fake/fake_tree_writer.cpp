#include "support/fake/fake_tree_writer.h"

#include "support/ephemeral_owner.h"
#include "support/fake/fake_acl.h"
#include "support/requests/request_kinds.h"

#include <algorithm>

namespace drover::test {

using zk::Code;
using zk::Path;
using zk::Response;
using Event = zk::WatchEvent::Type;

namespace {

Response failed(Code code)
{
    Response response;
    response.code = code;
    return response;
}

// ZKDatabase.isSpecialPath(): the paths that no client can delete.
bool isSpecial(const Path &path)
{
    static const std::set<QByteArray> Special = {"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"};
    return Special.contains(path.bytes());
}

bool matches(qint32 version, qint32 expected)
{
    return expected == zk::AnyVersion || version == expected;
}

} // namespace

FakeTree::Znode *FakeTree::Writer::find(const Path &path)
{
    const auto found = m_tree.m_nodes.find(path.bytes());
    return found == m_tree.m_nodes.end() ? nullptr : &found->second;
}

bool FakeTree::Writer::may(Permission wanted, const Znode &node) const
{
    return allows(node.acl, wanted, m_context.digests);
}

FakeTree::Outcome FakeTree::Writer::write(const zk::Request &request)
{
    m_response = std::visit(
        [this](const auto &r) {
            if constexpr (requires { (*this)(r); })
                return (*this)(r);
            else
                return Response{};
        },
        request);
    return takeOutcome();
}

FakeTree::Outcome FakeTree::Writer::takeOutcome()
{
    return Outcome{std::move(m_response), std::move(m_events)};
}

Response FakeTree::Writer::operator()(const zk::CreateRequest &request)
{
    const std::optional<zk::AclList> acl = checkedAcl(request.acl, m_context.digests);
    if (!acl)
        return failed(Code::InvalidAcl);
    const Path parentPath = request.path.parent();
    const Znode *parent = find(parentPath);
    if (!parent)
        return failed(Code::NoNode);
    if (!may(Permission::Create, *parent))
        return failed(Code::NoAuth);

    Path path = request.path;
    if (isSequential(request.mode))
        path = Path(path.bytes() + QString::asprintf("%010d", parent->stat.cversion).toLatin1());
    if (find(path))
        return failed(Code::NodeExists);
    if (isSessionOwner(parent->stat.ephemeralOwner))
        return failed(Code::NoChildrenForEphemerals);

    Znode node;
    node.data = request.data;
    node.acl = *acl;
    node.stat.czxid = node.stat.mzxid = node.stat.pzxid = m_context.zxid;
    node.stat.ctime = node.stat.mtime = m_context.wallTime;
    if (isEphemeral(request.mode))
        node.stat.ephemeralOwner = m_context.session;
    else if (request.mode == zk::CreateMode::Container)
        node.stat.ephemeralOwner = ContainerOwner;
    else if (zk::hasTtl(request.mode))
        node.stat.ephemeralOwner = ttlOwner(request.ttl.count());

    Response response;
    response.path = path;
    response.stat = statOf(node);
    insert(path, std::move(node));
    return response;
}

void FakeTree::Writer::insert(const Path &path, Znode node)
{
    Znode &parent = *find(path.parent());
    const zk::Stat before = parent.stat;
    const qint64 owner = node.stat.ephemeralOwner;
    remember(path);
    remember(path.parent(), path.name(), false);
    parent.children.insert(path.name());
    // After 2^31 - 1 the counter stands still, and so does pzxid: DataTree.createNode() takes only a greater one.
    const auto next = static_cast<qint32>(static_cast<quint32>(parent.stat.cversion) + 1);
    if (next > parent.stat.cversion) {
        parent.stat.cversion = next;
        parent.stat.pzxid = m_context.zxid;
    }
    m_tree.m_nodes.emplace(path.bytes(), std::move(node));
    rememberOwner(path.bytes(), owner);
    m_undo.push_back([this, path, owner, before] {
        Znode &under = *find(path.parent());
        under.stat = before;
        under.children.erase(path.name());
        m_tree.m_nodes.erase(path.bytes());
        forgetOwner(path.bytes(), owner);
    });
    event(Event::Created, path);
    event(Event::ChildrenChanged, path.parent());
}

Response FakeTree::Writer::operator()(const zk::RemoveRequest &request)
{
    if (isSpecial(request.path))
        return failed(Code::BadArguments);
    const Znode *parent = find(request.path.parent());
    if (parent && !may(Permission::Delete, *parent))
        return failed(Code::NoAuth);
    const Znode *node = find(request.path);
    if (!node)
        return failed(Code::NoNode);
    if (!matches(node->stat.version, request.version))
        return failed(Code::BadVersion);
    if (!node->children.empty())
        return failed(Code::NotEmpty);
    erase(request.path);
    return {};
}

void FakeTree::Writer::erase(const Path &path)
{
    remember(path);
    remember(path.parent(), path.name(), true);
    const auto found = m_tree.m_nodes.find(path.bytes());
    auto removed = std::make_shared<Znode>(std::move(found->second)); // shared: std::function copies
    m_tree.m_nodes.erase(found);
    forgetOwner(path.bytes(), removed->stat.ephemeralOwner);
    Znode &parent = *find(path.parent());
    const zk::Stat before = parent.stat;
    parent.children.erase(path.name());
    parent.stat.pzxid = m_context.zxid;
    m_undo.push_back([this, path, removed, before] {
        Znode &under = *find(path.parent());
        under.stat = before;
        under.children.insert(path.name());
        rememberOwner(path.bytes(), removed->stat.ephemeralOwner);
        m_tree.m_nodes.emplace(path.bytes(), std::move(*removed));
    });
    event(Event::Deleted, path);
    event(Event::ChildrenChanged, path.parent());
}

Response FakeTree::Writer::operator()(const zk::SetRequest &request)
{
    Znode *node = find(request.path);
    if (!node)
        return failed(Code::NoNode);
    if (!may(Permission::Write, *node))
        return failed(Code::NoAuth);
    if (!matches(node->stat.version, request.version))
        return failed(Code::BadVersion);
    remember(request.path);
    m_undo.push_back([this, path = request.path, data = node->data, stat = node->stat] {
        Znode &changed = *find(path);
        changed.data = data;
        changed.stat = stat;
    });
    node->data = request.data;
    node->stat.version = static_cast<qint32>(static_cast<quint32>(node->stat.version) + 1); // wraps, by way of -1
    node->stat.mzxid = m_context.zxid;
    node->stat.mtime = m_context.wallTime;
    event(Event::DataChanged, request.path);
    Response response;
    response.stat = statOf(*node);
    return response;
}

Response FakeTree::Writer::operator()(const zk::SetAclRequest &request)
{
    const std::optional<zk::AclList> acl = checkedAcl(request.acl, m_context.digests);
    if (!acl)
        return failed(Code::InvalidAcl);
    Znode *node = find(request.path);
    if (!node)
        return failed(Code::NoNode);
    if (!may(Permission::Admin, *node))
        return failed(Code::NoAuth);
    if (!matches(node->stat.aversion, request.aversion))
        return failed(Code::BadVersion);
    remember(request.path);
    node->acl = *acl;
    ++node->stat.aversion;
    return {}; // the server sends the Stat, the C client drops it
}

Response FakeTree::Writer::carryOut(const zk::Transaction::Operation &operation)
{
    using Transaction = zk::Transaction;
    if (const auto *create = std::get_if<Transaction::Create>(&operation))
        return (*this)(zk::CreateRequest{create->path, create->data, create->mode, create->acl, {}});
    if (const auto *remove = std::get_if<Transaction::Remove>(&operation))
        return (*this)(zk::RemoveRequest{remove->path, remove->version});
    if (const auto *set = std::get_if<Transaction::Set>(&operation))
        return (*this)(zk::SetRequest{set->path, set->data, set->version});
    const auto &check = std::get<Transaction::Check>(operation);
    const Znode *node = find(check.path);
    if (!node)
        return failed(Code::NoNode);
    if (!may(Permission::Read, *node))
        return failed(Code::NoAuth);
    return matches(node->stat.version, check.version) ? Response{} : failed(Code::BadVersion);
}

Response FakeTree::Writer::operator()(const zk::MultiRequest &request)
{
    Response response;
    for (const zk::Transaction::Operation &operation : request.transaction.operations()) {
        if (response.code != Code::Ok) {
            response.results.push_back({Code::RuntimeInconsistency, {}, {}});
            continue;
        }
        Response one = carryOut(operation);
        response.code = one.code;
        const bool isSet = std::holds_alternative<zk::Transaction::Set>(operation);
        response.results.push_back({one.code, std::move(one.path), isSet ? one.stat : zk::Stat{}});
    }
    if (response.code == Code::Ok)
        return response;
    rollBack();
    for (zk::OperationResult &result : response.results)
        result = {result.code, {}, {}};
    return response;
}

void FakeTree::Writer::remember(const Path &path, const QByteArray &child, bool hadChild)
{
    Past past{m_context.zxid, std::nullopt, child, hadChild};
    if (const Znode *node = find(path)) {
        Znode &before = past.before.emplace(Znode());
        before.data = node->data;
        before.acl = node->acl;
        before.stat = node->stat;
    }
    m_tree.m_past[path.bytes()].push_back(std::move(past));
    m_remembered.push_back(path.bytes());
}

void FakeTree::Writer::rollBack()
{
    m_events.clear();
    std::for_each(m_undo.rbegin(), m_undo.rend(), [](const auto &undo) { undo(); });
    for (const QByteArray &path : m_remembered) {
        const auto past = m_tree.m_past.find(path);
        past->second.pop_back();
        if (past->second.empty())
            m_tree.m_past.erase(past);
    }
}

void FakeTree::Writer::rememberOwner(const QByteArray &path, qint64 owner)
{
    if (isSessionOwner(owner))
        m_tree.m_ephemerals[owner].insert(path);
    else if (owner != 0)
        m_tree.m_perishable.insert(path);
}

void FakeTree::Writer::forgetOwner(const QByteArray &path, qint64 owner)
{
    if (!isSessionOwner(owner)) {
        m_tree.m_perishable.erase(path);
        return;
    }
    const auto owned = m_tree.m_ephemerals.find(owner);
    owned->second.erase(path);
    if (owned->second.empty())
        m_tree.m_ephemerals.erase(owned);
}

} // namespace drover::test
