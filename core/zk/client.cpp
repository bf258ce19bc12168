#include "zk/client.h"

#include "zk/session_end.h"

#include <QLoggingCategory>
#include <QPointer>

#include <algorithm>
#include <optional>

namespace drover::zk {

namespace {

Q_LOGGING_CATEGORY(lcCleanup, "drover.zk.cleanup")

// Before a request is sent again that a server has discarded.
constexpr async::Duration ShortestPause = std::chrono::milliseconds(10);
constexpr async::Duration LongestPause = std::chrono::seconds(1);
constexpr int Soon = 10; // pauses; a server that discards again within so many has more than it can do

// How a Response becomes what an operation returns.
void convert(Response &&, Nothing &) { }
void convert(Response &&r, Stat &to)
{
    to = r.stat;
}
void convert(Response &&r, Node &to)
{
    to = Node{std::move(r.data), r.stat};
}
void convert(Response &&r, Children &to)
{
    to = Children{std::move(r.children), r.stat};
}
void convert(Response &&r, Created &to)
{
    to = Created{std::move(r.path), r.stat};
}
void convert(Response &&r, AclOfNode &to)
{
    to = AclOfNode{std::move(r.acl), r.stat};
}
void convert(Response &&r, Committed &to)
{
    to = Committed{std::move(r.results)};
}

template <typename T>
T converted(Response &&response)
{
    T value;
    convert(std::move(response), value);
    return value;
}

std::optional<WatchKind> watchKindOf(const Request &request)
{
    if (std::holds_alternative<GetRequest>(request))
        return WatchKind::Data;
    if (std::holds_alternative<ExistsRequest>(request))
        return WatchKind::Exists;
    if (std::holds_alternative<ChildrenRequest>(request))
        return WatchKind::Children;
    return std::nullopt;
}

} // namespace

Client::Client(async::Loop &loop) : m_loop(loop) { }

Client::~Client() = default;

template <typename T>
Reply<T> Client::request(Request request, Watch *watch)
{
    const char *operation = operationName(request);
    Path path = pathOf(request);
    return Reply<T>(send(std::move(request), watch), operation, std::move(path), &converted<T>);
}

// Of a request with the server's paths.
template <typename T>
Reply<T> Client::requestOnServer(Request request)
{
    const char *operation = operationName(request);
    Path path = m_chroot.seen(pathOf(request));
    return Reply<T>(sendOnServer(std::move(request), nullptr), operation, std::move(path), &converted<T>);
}

async::Future<Response> Client::send(Request request, Watch *watch)
{
    if (auto *const create = std::get_if<CreateRequest>(&request); create && create->acl.empty())
        create->acl = m_aclOfNewNodes(create->path);
    else if (auto *const multi = std::get_if<MultiRequest>(&request))
        multi->transaction.completeAcls(m_aclOfNewNodes);
    m_chroot.enter(request);
    return sendOnServer(std::move(request), watch);
}

async::Future<Response> Client::sendOnServer(Request request, Watch *watch)
{
    const qsizetype size = sizeOf(request);
    if (size > MaxRequestSize)
        throw RequestTooLarge(
            QStringLiteral("%1 %2: the request has %3 bytes, a server takes %4; store less in the znode")
                .arg(QLatin1String(operationName(request)), m_chroot.seen(pathOf(request)).toString(),
                     QString::number(size), QString::number(MaxRequestSize)));
    ++m_counters.requests;
    std::shared_ptr<WatchCell> cell;
    const std::optional<WatchKind> kind = watchKindOf(request);
    if (watch && kind)
        cell = watch->prepare(*kind, pathOf(request));
    return submit(std::move(request), std::move(cell));
}

Reply<Stat> Client::exists(const Path &path)
{
    return request<Stat>(ExistsRequest{path}, nullptr);
}

Reply<Stat> Client::exists(const Path &path, Watch &watch)
{
    return request<Stat>(ExistsRequest{path}, &watch);
}

Reply<Node> Client::get(const Path &path)
{
    return request<Node>(GetRequest{path}, nullptr);
}

Reply<Node> Client::get(const Path &path, Watch &watch)
{
    return request<Node>(GetRequest{path}, &watch);
}

Reply<Children> Client::children(const Path &path)
{
    return request<Children>(ChildrenRequest{path}, nullptr);
}

Reply<Children> Client::children(const Path &path, Watch &watch)
{
    return request<Children>(ChildrenRequest{path}, &watch);
}

Reply<AclOfNode> Client::acl(const Path &path)
{
    return request<AclOfNode>(GetAclRequest{path}, nullptr);
}

Reply<Nothing> Client::sync(const Path &path)
{
    return request<Nothing>(SyncRequest{path}, nullptr);
}

Reply<Node> Client::configuration()
{
    return requestOnServer<Node>(GetRequest{Path("/zookeeper/config")});
}

Reply<Created> Client::create(const Path &path, const QByteArray &data, CreateMode mode, const AclList &acl)
{
    return request<Created>(CreateRequest{path, data, mode, acl, {}}, nullptr);
}

Reply<Created> Client::createWithTtl(const Path &path, const QByteArray &data, std::chrono::milliseconds ttl,
                                     CreateMode mode, const AclList &acl)
{
    return request<Created>(CreateRequest{path, data, mode, acl, ttl}, nullptr);
}

Reply<Nothing> Client::remove(const Path &path, qint32 version)
{
    return request<Nothing>(RemoveRequest{path, version}, nullptr);
}

Reply<Stat> Client::set(const Path &path, const QByteArray &data, qint32 version)
{
    return request<Stat>(SetRequest{path, data, version}, nullptr);
}

Reply<Nothing> Client::setAcl(const Path &path, const AclList &acl, qint32 aversion)
{
    return request<Nothing>(SetAclRequest{path, acl, aversion}, nullptr);
}

Reply<Committed> Client::commit(const Transaction &transaction)
{
    return request<Committed>(MultiRequest{transaction}, nullptr);
}

Reply<Nothing> Client::addAuth(const QByteArray &scheme, const QByteArray &credentials)
{
    return request<Nothing>(AddAuthRequest{scheme, credentials}, nullptr);
}

void Client::setState(State state)
{
    if (m_state == state || m_state == State::Lost)
        return;
    m_state = state;
    const QPointer<Client> alive = this; // a slot or a waiter may delete us
    Q_EMIT stateChanged(state);
    if (alive)
        m_stateChange.notify();
}

async::Task<void> Client::connected()
{
    while (m_state != State::Connected || m_pauses) {
        if (m_state == State::Lost)
            throw sessionHasEnded();
        co_await m_stateChange.wait();
    }
}

async::Task<void> Client::interrupted()
{
    while (m_state == State::Connected)
        co_await m_stateChange.wait();
}

async::Task<void> Client::lost()
{
    while (m_state != State::Lost)
        co_await m_stateChange.wait();
}

Response Client::seen(Response response)
{
    if (response.code == Code::Throttled)
        noteDiscarded();
    m_chroot.leave(response);
    return response;
}

void Client::noteDiscarded()
{
    if (m_pauses)
        return; // it was sent before the pause
    const async::TimePoint now = m_loop.now();
    const bool again = m_pause.count() > 0 && now - m_lastPause < Soon * m_pause;
    m_pause = again ? std::min(2 * m_pause, LongestPause) : ShortestPause;
    m_lastPause = now;
    m_pauses = true;
    m_pauseEnd = m_loop.after(m_pause, [this] {
        m_pauses = false;
        m_stateChange.notify(); // a waiter may delete us
    });
}

async::Task<void> Client::ensurePath(Path path)
{
    return ensureOnServer(m_chroot.onServer(path));
}

async::Task<void> Client::ensureOnServer(Path path)
{
    while (!path.isRoot()) {
        std::exception_ptr refused;
        try {
            CreateRequest creating{path, QByteArray()};
            creating.acl = m_aclOfNewNodes(m_chroot.contains(path) ? m_chroot.seen(path) : Path());
            const Answer<Created> created = co_await requestOnServer<Created>(creating);
            if (created.ok() || created.is(Code::NodeExists))
                co_return;
            created.requireUnless(Code::NoNode);
            co_await ensureOnServer(path.parent());
        } catch (const ConnectionLoss &) {
        } catch (const AccessDenied &) {
            refused = std::current_exception();
        }
        co_await connected();
        if (!refused)
            continue;
        const Code there = co_await existence(path);
        if (there == Code::Ok)
            co_return;
        if (there == Code::NoNode)
            std::rethrow_exception(refused);
    }
}

// Of a node for which a client may lack the rights: all may ask that. Else the code of a lost connection. The path is
// the server's.
async::Task<Code> Client::existence(Path path)
{
    try {
        const ExistsRequest asking{path};
        const Answer<Stat> stat = co_await requestOnServer<Stat>(asking);
        co_return stat.code();
    } catch (const ConnectionLoss &error) {
        co_return error.code();
    }
}

void Client::discard(const Path &path)
{
    retryInBackground([this, path] { return removeOnce(path); });
}

void Client::discardOwned(const Path &path, Zxid czxid, CleanupEnd end)
{
    retryInBackground([this, path, czxid] { return removeOwned(path, czxid); }, std::move(end));
}

void Client::discard(const Path &path, Zxid czxid, CleanupEnd end)
{
    const auto attempt = [this, path, czxid, again = false]() mutable {
        return std::exchange(again, true) ? removeCreatedAt(path, czxid) : removeOnce(path);
    };
    retryInBackground(attempt, std::move(end));
}

void Client::discardMatching(const Path &directory, const QByteArray &prefix, const QByteArray &data)
{
    retryInBackground([this, directory, prefix, data] { return removeMatching(directory, prefix, data); });
}

async::Task<void> Client::keepTrying(std::function<async::Task<void>()> attempt, CleanupEnd end)
{
    std::exception_ptr error;
    try {
        for (bool done = false; !done;) {
            try {
                co_await attempt();
                done = true;
            } catch (const ConnectionLoss &) {
            }
            if (!done)
                co_await connected();
        }
    } catch (const SessionLost &) { // what was ephemeral goes with the session
        error = std::current_exception();
    } catch (const std::exception &refusal) {
        error = std::current_exception();
        qCCritical(lcCleanup, "a clean-up is given up, and its ephemeral znodes stay until the session ends: %s",
                   refusal.what());
    }
    if (end)
        m_loop.post([end = std::move(end), error] { end(error); }); // it may destroy this
}

async::Task<void> Client::removeOnce(Path path)
{
    const Answer<Nothing> removed = co_await remove(path);
    removed.requireUnless(Code::NoNode);
}

async::Task<void> Client::removeOwned(Path path, Zxid czxid)
{
    const auto syncing = sync(path); // or the create may yet come, on this server or at all
    const auto looking = exists(path);
    const Answer<Nothing> synced = co_await syncing;
    const Answer<Stat> stat = co_await looking;
    if (stat.ok() && stat->ephemeralOwner == sessionId() && (czxid == 0 || stat->czxid == czxid))
        co_await removeOnce(path);
}

async::Task<void> Client::removeCreatedAt(Path path, Zxid czxid)
{
    const auto syncing = sync(path); // or the delete may yet come, and the name have another owner
    const auto looking = exists(path);
    const Answer<Nothing> synced = co_await syncing;
    const Answer<Stat> stat = co_await looking;
    if (stat.ok() && stat->czxid == czxid)
        co_await removeOnce(path);
}

async::Task<void> Client::removeHolding(Path path, QByteArray data)
{
    const Answer<Node> node = co_await get(path);
    if (node.ok() && node->stat.ephemeralOwner == sessionId() && node->data.startsWith(data))
        discard(path, node->stat.czxid);
}

async::Task<void> Client::removeMatching(Path directory, QByteArray prefix, QByteArray data)
{
    const Answer<Nothing> synced = co_await sync(directory);
    const Answer<Children> list = co_await children(directory);
    for (const QByteArray &child : list->names) {
        if (!child.startsWith(prefix))
            continue;
        if (data.isEmpty())
            discard(directory / child);
        else
            co_await removeHolding(directory / child, data);
    }
}

} // namespace drover::zk
