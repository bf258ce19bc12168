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

} // namespace

ClientHandle::ClientHandle(const ServerList &servers, std::chrono::milliseconds timeout, const ClientId &resume)
    : m_servers(servers)
{
    prepareLibrary();
    clientid_t id{};
    id.client_id = resume.session;
    std::copy(resume.password.begin(), resume.password.end(), id.passwd);
    m_zk =
        zookeeper_init2(inClientNotation(servers).constData(), &ClientCalls::watcher, static_cast<int>(timeout.count()),
                        resume.session != 0 ? &id : nullptr, &m_calls, ZOO_NO_LOG_CLIENTENV, &ClientLog::write);
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
    // A transaction on a handle that is beyond recovery frees memory twice.
    if (m_calls.send(isUsable() ? m_zk : nullptr, std::move(call)))
        repairLink();
}

void ClientHandle::removeWatches(const WatchRegistry::Place &place)
{
    const bool local = link() != Link::Up; // then the server has none, and re-arms only those that are left here
    m_calls.removeWatches(m_zk, place, local);
    repairLink();
}

bool ClientHandle::canAuthenticate()
{
    return !m_calls.isAuthenticating() && link() == Link::Up && !interest().write;
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
    if (before == Link::Down && link() != Link::Down) {
        m_attemptSince = now;
        m_calls.setHandshakeSent(now);
    }
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
            m_calls.setHandshakeSent(now);
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
    m_calls.report(LinkChange{Link::Down, {}});
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

void ClientHandle::close()
{
    if (!m_zk)
        return;
    detach();
    flushAndCollect();
    zookeeper_close(std::exchange(m_zk, nullptr));
}

// zookeeper_close() waits for the first thing that comes and then cuts the connection. Unless it is the answer to the
// closing itself, a server may lose the request to close, and the session stays behind.
void ClientHandle::flushAndCollect()
{
    const async::TimePoint deadline = BootClock::now() + LastAnswers;
    while (!m_calls.empty() && link() == Link::Up && BootClock::now() < deadline) {
        const Interest open = interest();
        if (open.fd < 0)
            return;
        pollfd waited{open.fd, static_cast<short>(POLLIN | (open.write ? POLLOUT : 0)), 0};
        poll(&waited, 1, 100);
        process((waited.revents & ~POLLOUT) != 0, (waited.revents & POLLOUT) != 0);
    }
}

} // namespace drover::zk
