#include "zk/client/client_handle.h"

#include "zk/client/client_library.h"
#include "zk/client/client_log.h"

#include <system_error>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

namespace drover::zk {

using async::BootClock;
using namespace std::chrono_literals;

namespace {

// As many replies as are taken from the socket before others get their turn.
constexpr int RepliesInOnePass = 256;

// How long a closing handle waits for the answers to what it has sent.
constexpr auto LastAnswers = 2s;

constexpr int NeverResolve = -1; // addresses are numeric
constexpr int TornLink = 999; // the socket was closed in the middle of things: zoo_state() when a send fails

// The C client goes to every second server of its list when one fails (both the failure and the next attempt move it
// on), so with an even number it would never try half of them. An odd list in this order makes it try each in turn.
ServerList inClientOrder(ServerList servers)
{
    if (servers.size() % 2 == 0 && !servers.empty())
        servers.push_back(servers.back());
    ServerList ordered(servers.size());
    for (std::size_t i = 0; i < servers.size(); ++i)
        ordered[2 * i % servers.size()] = servers[i];
    return ordered;
}

QByteArray inClientNotation(const ServerList &servers)
{
    QByteArray text;
    for (const ServerAddress &server : inClientOrder(servers)) {
        text += text.isEmpty() ? "" : ",";
        text += server.host.toLatin1() + ':' + QByteArray::number(server.port); // no brackets, ever
    }
    return text;
}

void prepareLibrary()
{
    [[maybe_unused]] static const bool once = [] {
        zoo_set_debug_level(ZOO_LOG_LEVEL_WARN);
        // Our order, not a shuffled one: the shuffle writes past its seed after a short read (ZOOKEEPER-4848).
        zoo_deterministic_conn_order(1);
        return true;
    }();
}

// What the C client reports for an operation that a broken connection, not a server, has ended.
Code outcomeOf(int rc)
{
    switch (static_cast<Code>(rc)) {
    case Code::OperationTimeout:
    case Code::RuntimeInconsistency:
        return Code::ConnectionLoss;
    default:
        return static_cast<Code>(rc);
    }
}

} // namespace

ClientHandle::ClientHandle(const ServerList &servers, std::chrono::milliseconds timeout, const ClientId &resume)
    : m_servers(servers)
{
    prepareLibrary();
    open(inClientNotation(servers), timeout, resume);
    if (!m_zk)
        throw std::system_error(errno, std::generic_category(), "cannot make a ZooKeeper client");
    zoo_set_servers_resolution_delay(m_zk, NeverResolve);
}

ClientHandle::~ClientHandle()
{
    close();
}

ClientHandle::Link ClientHandle::link() const
{
    const int state = m_zk ? zoo_state(m_zk) : 0;
    if (state == ZOO_CONNECTED_STATE)
        return Link::Up;
    if (state == ZOO_ASSOCIATING_STATE)
        return Link::Handshake;
    if (state == ZOO_CONNECTING_STATE)
        return Link::Connecting;
    if (state == ZOO_EXPIRED_SESSION_STATE)
        return Link::Expired;
    return state == ZOO_AUTH_FAILED_STATE ? Link::AuthFailed : Link::Down;
}

bool ClientHandle::isUsable() const
{
    return m_zk && is_unrecoverable(m_zk) == ZOK;
}

void ClientHandle::send(std::unique_ptr<Call> call)
{
    call->owner = this;
    call->number = ++m_lastNumber;
    Call &sent = *call;
    m_inFlight.emplace(sent.number, std::move(call));
    // A transaction on a handle that is beyond recovery frees memory twice.
    const int rc = isUsable() ? submit(sent) : static_cast<int>(Code::SessionExpired);
    if (rc != ZOK)
        answer(sent, rc);
    else
        repairLink();
}

bool ClientHandle::canAuthenticate()
{
    return m_authenticating == 0 && link() == Link::Up && !interest().write;
}

void ClientHandle::answer(Call &call, int rc)
{
    call.response.code = outcomeOf(rc);
    auto node = m_inFlight.extract(call.number);
    if (!m_detached)
        m_events.emplace_back(Answered{std::move(node.mapped())});
}

ClientHandle::Interest ClientHandle::interest()
{
    Interest interest;
    if (!isUsable())
        return interest;
    const ClientLog log(m_lastTrouble);
    adoptServers();
    const Link before = link();
    const async::TimePoint now = BootClock::now();
    int events = 0;
    timeval wait{};
    const int rc = zookeeper_interest(m_zk, &interest.fd, &events, &wait);
    interest.wait = std::chrono::seconds(wait.tv_sec) + std::chrono::microseconds(wait.tv_usec);
    if (before == Link::Down && link() != Link::Down)
        m_attemptSince = m_handshakeSent = now;
    if (rc != ZOK) {
        interest.fd = -1;
        interest.wait = std::max<async::Duration>(interest.wait, 10ms);
    }
    interest.write = (events & ZOOKEEPER_WRITE) != 0;
    return interest;
}

void ClientHandle::process(bool readable, bool writable)
{
    const ClientLog log(m_lastTrouble);
    int events = (readable ? ZOOKEEPER_READ : 0) | (writable ? ZOOKEEPER_WRITE : 0);
    for (int reply = 0; reply < RepliesInOnePass && events != 0 && isUsable(); ++reply) {
        const Link before = link();
        const async::TimePoint now = BootClock::now();
        const int rc = zookeeper_process(m_zk, events);
        if (before == Link::Connecting && link() == Link::Handshake)
            m_handshakeSent = now;
        if (rc != ZOK) // nothing to read, or the connection is gone
            break;
        events &= ZOOKEEPER_READ;
    }
}

// When a send fails, the C client closes its socket and forgets to clean up: calls in flight would wait for ever, and
// the unsent rest of a request would go out as garbage on the next connection. Only a failed connection cleans up.
void ClientHandle::repairLink()
{
    if (zoo_state(m_zk) != TornLink)
        return;
    if (!m_detached)
        m_events.emplace_back(LinkChange{Link::Down, {}});
    for (int attempt = 0; attempt < 2 && zoo_state(m_zk) == TornLink; ++attempt) // the first may only wait its turn
        breakLink();
}

void ClientHandle::breakLink()
{
    const Interest open = interest();
    if (open.fd < 0)
        return;
    ::shutdown(open.fd, SHUT_RDWR);
    process(true, true);
}

// The C client may return to the same server at once: with an even number of servers to the last of them, which stands
// twice in its list, and with a new list to any. A list that it is given without a connection it begins at the front.
void ClientHandle::leaveServer()
{
    const QString current = server();
    m_nextServers = m_servers;
    const auto left = std::find_if(m_nextServers.begin(), m_nextServers.end(),
                                   [&](const ServerAddress &listed) { return listed.toString() == current; });
    if (left != m_nextServers.end())
        std::rotate(m_nextServers.begin(), left + 1, m_nextServers.end());
    breakLink();
}

void ClientHandle::setServers(const ServerList &servers)
{
    m_servers = m_nextServers = servers;
    const QString current = server();
    const bool stays = std::any_of(servers.begin(), servers.end(),
                                   [&](const ServerAddress &listed) { return listed.toString() == current; });
    if (isUsable() && link() != Link::Down && !stays)
        breakLink();
}

// Only without a connection: with one, the C client might close it and forget to clean up. It also treats two
// lists as equal if only the ports differ; with another list in between they always differ.
void ClientHandle::adoptServers()
{
    if (m_nextServers.empty() || link() != Link::Down)
        return;
    zoo_set_servers(m_zk, "192.0.2.1:1"); // TEST-NET-1, never asked
    zoo_set_servers(m_zk, inClientNotation(std::exchange(m_nextServers, {})).constData());
}

ClientId ClientHandle::clientId() const
{
    const clientid_t *from = m_zk ? zoo_client_id(m_zk) : nullptr;
    ClientId id;
    if (from) {
        id.session = from->client_id;
        std::copy(std::begin(from->passwd), std::end(from->passwd), id.password.begin());
    }
    return id;
}

std::chrono::milliseconds ClientHandle::timeout() const
{
    return std::chrono::milliseconds(m_zk ? zoo_recv_timeout(m_zk) : 0);
}

QString ClientHandle::server() const
{
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    char host[NI_MAXHOST];
    char port[NI_MAXSERV];
    if (link() != Link::Up || !zookeeper_get_connected_host(m_zk, reinterpret_cast<sockaddr *>(&address), &size)
        || getnameinfo(reinterpret_cast<sockaddr *>(&address), size, host, sizeof host, port, sizeof port,
                       NI_NUMERICHOST | NI_NUMERICSERV)
            != 0)
        return {};
    return ServerAddress{QString::fromLatin1(host), QByteArray(port).toUShort()}.toString();
}

std::vector<std::unique_ptr<Call>> ClientHandle::detach()
{
    m_detached = true;
    m_events.clear();
    std::vector<std::unique_ptr<Call>> calls;
    for (auto &[number, context] : m_inFlight) {
        // The C client keeps the context; what belongs to others leaves it.
        auto call = std::make_unique<Call>();
        call->request = context->request;
        call->watch = std::exchange(context->watch, nullptr);
        call->promise = std::move(context->promise);
        calls.push_back(std::move(call));
    }
    return calls;
}

void ClientHandle::close()
{
    if (!m_zk)
        return;
    detach();
    flushAndCollect();
    zookeeper_close(std::exchange(m_zk, nullptr));
    m_inFlight.clear();
}

// zookeeper_close() waits for the first thing that comes and then cuts the connection. Unless it is the answer to the
// closing itself, a server may lose the request to close, and the session stays behind.
void ClientHandle::flushAndCollect()
{
    const async::TimePoint deadline = BootClock::now() + LastAnswers;
    while (unfinished() && link() == Link::Up && BootClock::now() < deadline) {
        const Interest open = interest();
        if (open.fd < 0)
            return;
        pollfd waited{open.fd, static_cast<short>(POLLIN | (open.write ? POLLOUT : 0)), 0};
        poll(&waited, 1, 100);
        process((waited.revents & ~POLLOUT) != 0, (waited.revents & POLLOUT) != 0);
    }
}

} // namespace drover::zk
