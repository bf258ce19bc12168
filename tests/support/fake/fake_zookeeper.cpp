#include "support/fake/fake_zookeeper.h"

#include "support/fake/fake_acl.h"
#include "support/fake/fake_session.h"
#include "support/requests/request_kinds.h"

#include <algorithm>

namespace drover::test {

using zk::Code;
using zk::SessionId;
using zk::WatchEvent;

namespace {

// znode.container.checkIntervalMs
constexpr auto OutlivedCheckInterval = std::chrono::seconds(60);

bool needsLeader(const zk::Request &request)
{
    return isWrite(request) || std::holds_alternative<zk::SyncRequest>(request);
}

} // namespace

QByteArray FakeZooKeeper::Commit::toString() const
{
    const QByteArray head = QByteArray::number(zxid) + ' ' + QByteArray::number(session, 16) + ' ';
    switch (kind) {
    case Kind::Write:
        return head + zk::operationName(call->request) + ' '
            + (call->response.path.isRoot() ? zk::pathOf(call->request) : call->response.path).bytes();
    case Kind::SessionOpened:
        return head + "session opened";
    case Kind::SessionClosed:
        return head + "session closed";
    case Kind::Outlived:
        return head + "outlived " + path.bytes();
    }
    return head;
}

std::unique_ptr<FakeSession> FakeZooKeeper::connect(ProcessLoop &loop, const FakeSessionOptions &options)
{
    return std::make_unique<FakeSession>(*this, loop, options);
}

void FakeZooKeeper::stop()
{
    m_running = false;
    for (FakeSession *client : std::vector(m_clients))
        client->breakConnection({});
    for (const auto &[id, session] : m_sessions)
        heard(id);
}

void FakeZooKeeper::start()
{
    m_running = true;
    for (const auto &[id, session] : m_sessions)
        silent(id);
    for (FakeSession *client : std::vector(m_clients))
        client->scheduleConnect();
}

std::vector<SessionId> FakeZooKeeper::sessions() const
{
    std::vector<SessionId> ids;
    for (const auto &[id, session] : m_sessions) {
        if (!session.over)
            ids.push_back(id);
    }
    return ids;
}

QByteArray FakeZooKeeper::trace() const
{
    QByteArray text;
    for (const Commit &commit : m_log)
        text += commit.toString() + '\n';
    return text;
}

qint64 FakeZooKeeper::wallTime() const
{
    return m_world.wallClock().count();
}

FakeZooKeeper::Welcome FakeZooKeeper::greet(const std::shared_ptr<FakeConnection> &connection, const Hello &hello)
{
    if (hello.server.tooOld && hello.seen > 0)
        return {hello.session, true};
    const auto known = m_sessions.find(hello.session);
    if (hello.session != 0 && (known == m_sessions.end() || known->second.over))
        return {}; // it has expired
    const bool isNew = hello.session == 0;
    const SessionId id = isNew ? ++m_lastSession : hello.session;
    Session &session = m_sessions[id];
    session.id = id;
    session.timeout = hello.timeout;
    if (!isNew && hello.server.lag > async::Duration::zero())
        fallBehind(session, hello.seen, hello.server.lag);
    else if (!isNew)
        session.view.reset();
    session.harm = {};
    if (session.connection)
        session.connection->sever();
    session.connection = connection;
    connection->setSession(id);
    session.cut = session.stuck = false;
    heard(id);
    if (isNew)
        commit({++m_zxid, Commit::Kind::SessionOpened, id, nullptr, {}});
    return {id};
}

void FakeZooKeeper::receive(const std::shared_ptr<FakeConnection> &connection, const FakeCallPtr &call,
                            const FaultInjector::Decision &fate)
{
    if (isTooLarge(zk::sizeOf(call->request), *connection))
        return;
    if (m_serviceTime == async::Duration::zero() && m_busyUntil <= m_world.now()) {
        process(connection, call, fate);
        return;
    }
    m_obstacles.waits += m_busyUntil > m_world.now();
    m_busyUntil = std::max(m_busyUntil, m_world.now()) + m_serviceTime;
    m_world.at(m_busyUntil, [=, this] {
        if (m_running)
            process(connection, call, fate);
    });
}

void FakeZooKeeper::process(const std::shared_ptr<FakeConnection> &connection, const FakeCallPtr &call,
                            const FaultInjector::Decision &fate)
{
    const auto found = m_sessions.find(connection->session());
    if (found == m_sessions.end() || (!connection->open() && !isWrite(call->request)))
        return;
    if (fate.fault == Fault::Isolate)
        isolate(found->first, fate.duration, fate);
    Session &session = found->second;
    session.stuck |= session.cut && needsLeader(call->request);
    if (session.stuck) {
        session.harm.bite();
        return;
    }
    if (fate.fault == Fault::Expire) {
        if (!session.over)
            fate.bite();
        expire(found->first);
        return;
    }
    if (fate.fault == Fault::Lag)
        lag(found->first, fate.duration, fate);
    if (!fate.ofReply)
        noteOvertaken(fate);
    const bool isLate = fate.fault == Fault::LateCommit && isWrite(call->request);
    if (isLate)
        proposeLate(found->first, call, fate);
    else if (fate.fault == Fault::Throttle) {
        call->response.code = Code::Throttled;
        fate.bite();
    } else if (fate.fault != Fault::LoseRequest)
        serve(found->second, call);
    const zk::Zxid zxid = viewOf(found->second);
    FakeSession *client = connection->client();
    if (!client)
        return;
    if (fate.fault == Fault::LoseRequest
        || (fate.fault == Fault::LoseReply && isWrite(call->request) && call->response.code == Code::Ok))
        fate.bite();
    if (isLate)
        client->disconnectFor(fate.duration / 10); // it is back before the write is there
    else if (fate.fault == Fault::LoseRequest || fate.fault == Fault::LoseReply || fate.fault == Fault::LateCommit)
        client->disconnectFor(fate.duration);
    if (!connection->client())
        return;
    const async::Duration delay = fate.ofReply && fate.fault == Fault::Delay ? fate.duration : async::Duration::zero();
    const auto arrive = [this, connection, call, zxid, fate] {
        if (fate.ofReply)
            noteOvertaken(fate);
        connection->client()->receive(call, zxid);
    };
    connection->toClient(arrive, delay);
}

void FakeZooKeeper::serve(Session &session, const FakeCallPtr &call)
{
    if (const auto *auth = std::get_if<zk::AddAuthRequest>(&call->request)) {
        call->response = authenticate(session, *auth);
        return;
    }
    if (isWrite(call->request)) {
        commitLate();
        // A refused write takes a zxid too.
        FakeTree::Outcome outcome = m_tree.apply(call->request, {session.id, ++m_zxid, wallTime(), session.digests});
        call->response = std::move(outcome.response);
        noteRefusal(*call);
        if (call->response.code == Code::Ok)
            commit({m_zxid, Commit::Kind::Write, session.id, call, {}, std::move(outcome.events)});
        advance(session);
        return;
    }
    if (std::holds_alternative<zk::SyncRequest>(call->request)) {
        commitLate();
        advance(session);
    }
    call->response = m_tree.read(call->request, viewOf(session), session.digests);
    noteRefusal(*call);
    noteStale(session, *call);
    if (call->watch && arms(call->watch->kind, call->response.code))
        m_watches.arm(session.id, ServerWatches::tableOf(call->watch->kind), call->watch->path);
}

zk::Response FakeZooKeeper::authenticate(Session &session, const zk::AddAuthRequest &request)
{
    zk::Response response;
    if (request.scheme == "digest")
        session.digests.push_back(request.credentials);
    else if (request.scheme != "ip")
        response.code = Code::AuthFailed;
    return response;
}

void FakeZooKeeper::commit(Commit commit)
{
    m_log.push_back(std::move(commit));
    m_committedAt = m_world.now();
    fire(m_log.back().events);
    if (m_observer)
        m_observer(m_log.back());
    watchForOutlived();
}

void FakeZooKeeper::fire(const std::vector<WatchEvent> &events)
{
    const auto sees = [this](SessionId id) { return !m_sessions.at(id).view; };
    for (const WatchEvent &event : events) {
        for (const SessionId id : m_watches.fire(event, sees))
            tell(m_sessions.at(id), event, m_zxid);
    }
}

// An event of transaction `zxid`. A session that may not read the node gets no event, and its watch is gone all the
// same: ServerCnxn.process(), since 3.8.4.
void FakeZooKeeper::tell(const Session &session, const WatchEvent &event, zk::Zxid zxid)
{
    const bool deleted = event.type == WatchEvent::Type::Deleted;
    const bool past = deleted || zxid != m_zxid;
    const std::optional<FakeTree::Znode> was = past ? m_tree.at(event.path, deleted ? zxid - 1 : zxid) : std::nullopt;
    const FakeTree::Znode *node = past ? (was ? &*was : nullptr) : m_tree.find(event.path);
    if (!node || allows(node->acl, Permission::Read, session.digests))
        sendEvent(*session.connection, event);
}

void FakeZooKeeper::sendEvent(FakeConnection &connection, const WatchEvent &event)
{
    connection.toClient([self = connection.shared_from_this(), event] { self->client()->watchFired(event); });
}

// DataTree.setWatches(): what the client missed while it was away fires now, the rest is armed again. Unlike tell(), it
// asks for no permission: it also reports a node that the client may not read.
void FakeZooKeeper::rearm(const std::shared_ptr<FakeConnection> &connection,
                          const std::vector<ClientWatches::Standing> &standing, zk::Zxid seen)
{
    using Table = ClientWatches::Table;
    using Type = WatchEvent::Type;
    if (isTooLarge(ClientWatches::sizeOf(standing), *connection))
        return;
    const zk::Zxid view = viewOf(m_sessions.at(connection->session()));
    const Session &session = m_sessions.at(connection->session());
    for (const auto &[table, path] : standing) {
        const std::optional<FakeTree::Znode> node = m_tree.at(path, view);
        const auto tell = [&, &watched = path](Type type) { sendEvent(*connection, {type, watched}); };
        if (table == Table::Existence && node)
            tell(Type::Created);
        else if (table != Table::Existence && !node)
            tell(Type::Deleted);
        else if (table == Table::Data && node->stat.mzxid > seen)
            tell(Type::DataChanged);
        else if (table == Table::Children && node->stat.pzxid > seen)
            tell(Type::ChildrenChanged);
        else
            m_watches.arm(session.id,
                          table == Table::Children ? ServerWatches::Table::Children : ServerWatches::Table::Data, path);
    }
}

void FakeZooKeeper::disarm(SessionId session, ServerWatches::Table table, const zk::Path &path)
{
    m_watches.remove(session, table, path);
}

bool FakeZooKeeper::heard(SessionId session)
{
    const auto found = m_sessions.find(session);
    if (found == m_sessions.end() || found->second.cut)
        return false;
    found->second.silent = false;
    found->second.expiry.cancel();
    return true;
}

void FakeZooKeeper::silent(SessionId session)
{
    const auto found = m_sessions.find(session);
    if (found == m_sessions.end() || !m_running || std::exchange(found->second.silent, true))
        return;
    found->second.expiry = m_world.after(found->second.timeout, [this, session] { timeOut(session); });
}

void FakeZooKeeper::connectionGone(SessionId id)
{
    m_watches.removeAll(id);
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end())
        return;
    Session &session = found->second;
    session.cut = session.stuck = false;
    if (session.over)
        m_sessions.erase(found);
    else
        silent(id);
}

void FakeZooKeeper::close(SessionId session)
{
    if (m_busyUntil > m_world.now())
        m_world.at(m_busyUntil, [this, session] { closeNow(session); });
    else
        closeNow(session);
}

void FakeZooKeeper::closeNow(SessionId session)
{
    const auto found = m_sessions.find(session);
    if (found == m_sessions.end())
        return;
    if (found->second.cut)
        connectionGone(session);
    else
        end(session);
}

// The leader ends the session.
void FakeZooKeeper::end(SessionId id)
{
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || found->second.over)
        return;
    commitLate();
    FakeTree::Outcome outcome = m_tree.closeSession(id, ++m_zxid);
    commit({m_zxid, Commit::Kind::SessionClosed, id, nullptr, {}, std::move(outcome.events)});
    Session &session = found->second;
    if (session.cut) {
        session.over = true;
        return;
    }
    m_watches.removeAll(id);
    session.connection->closeServerEnd();
    m_sessions.erase(found);
}

void FakeZooKeeper::expire(SessionId id)
{
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || found->second.over)
        return;
    if (m_evictionObserver)
        m_evictionObserver(id);
    timeOut(id);
}

void FakeZooKeeper::timeOut(SessionId id)
{
    const auto found = m_sessions.find(id);
    if (found == m_sessions.end() || found->second.over)
        return;
    const std::shared_ptr<FakeConnection> connection = found->second.connection;
    const bool untold = found->second.cut;
    end(id);
    if (!untold)
        connection->toClient([connection] { connection->client()->connectionLost(); });
}

// The server's container manager wakes once a minute for ever; ours only while there is something for it to find, so
// that an idle world is idle.
void FakeZooKeeper::watchForOutlived()
{
    if (m_watchingForOutlived || !m_tree.hasPerishable())
        return;
    m_watchingForOutlived = true;
    const async::Duration sinceLast = m_world.now().time_since_epoch() % OutlivedCheckInterval;
    m_outlivedCheck = m_world.after(OutlivedCheckInterval - sinceLast, [this] {
        m_watchingForOutlived = false;
        removeOutlived();
        watchForOutlived();
    });
}

void FakeZooKeeper::removeOutlived()
{
    if (!m_running)
        return;
    for (const zk::Path &path : m_tree.outlived(wallTime())) {
        FakeTree::Outcome outcome = m_tree.removeOutlived(path, ++m_zxid);
        commit({m_zxid, Commit::Kind::Outlived, 0, nullptr, path, std::move(outcome.events)});
    }
}

} // namespace drover::test
