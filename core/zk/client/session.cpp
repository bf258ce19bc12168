#include "zk/client/session.h"

#include "zk/client/session_log.h"
#include "zk/session_end.h"

#include <QPointer>
#include <QRandomGenerator>

#include <algorithm>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace drover::zk {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcSession, "drover.zk.session", QtInfoMsg)

namespace {

constexpr auto LookUpAgain = 1s; // at the soonest, while no server can be reached

// While it lives, what is sent becomes whole packets. The C client sends each request in two parts, which would be a
// packet each, and wake the server twice.
class WholePackets
{
public:
    explicit WholePackets(int socket) : m_socket(socket) { hold(1); }
    WholePackets(const WholePackets &) = delete;
    WholePackets &operator=(const WholePackets &) = delete;
    ~WholePackets() { hold(0); } // sends the last one

private:
    void hold(int on) const
    {
        if (m_socket >= 0)
            ::setsockopt(m_socket, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
    }

    int m_socket;
};

bool armsWatch(WatchKind kind, Code code)
{
    return code == Code::Ok || (kind == WatchKind::Exists && code == Code::NoNode);
}

} // namespace

Session::Session(async::Loop &loop, SessionOptions options)
    : Client(loop), m_options(std::move(options)),
      m_names(loop, [this](const ServerList &addresses) { useServers(addresses); }),
      m_connection(loop, m_options.timeout, m_options.resume),
      m_socket(loop, [this](const SocketWatch::Pass &pass) { onPass(pass); })
{
    if (m_options.access.acl)
        setAclOfNewNodes(m_options.access.acl);
    for (const AuthInfo &auth : m_options.access.auth)
        enqueue(AddAuthRequest{auth.scheme, auth.secret}, nullptr, {});
}

Session::~Session()
{
    sendWaiting(); // what was asked for before is carried out
    m_closing = true;
    lose(Code::Closing, QStringLiteral("closed"));
    m_delivering = false; // if a delivery destroys this object, it does not return here
    while (!m_events.empty())
        deliverAll();
}

void Session::open()
{
    ServerList names = parseConnectString(m_options.servers);
    setChroot(chrootOf(m_options.servers));
    m_names.set(std::move(names));
    m_socket.wake();
}

void Session::setServers(const QString &servers)
{
    if (chrootOf(servers) != chroot().top())
        throw InvalidConnectString(
            QStringLiteral("a session keeps its root %1: \"%2\" has another").arg(chroot().top().toString(), servers));
    ServerList names = parseConnectString(servers);
    m_options.servers = servers;
    m_names.set(std::move(names));
}

async::Task<void> Session::close()
{
    const std::shared_ptr<async::Event> closed = m_closed; // outlives this
    sendWaiting(); // what was asked for before is carried out
    m_closing = true;
    m_socket.wake();
    co_await closed->wait();
}

QString Session::lastTrouble() const
{
    return state() == State::Lost ? m_trouble : m_names.trouble(m_connection.lastTrouble());
}

void Session::useServers(ServerList servers)
{
    if (state() == State::Lost)
        return;
    if (m_options.shuffle)
        std::shuffle(servers.begin(), servers.end(), *QRandomGenerator::global());
    m_connection.useServers(servers);
    if (!m_connection.isUp())
        m_socket.forget(); // the C client may have closed it
    m_socket.wake();
}

void Session::onPass(const SocketWatch::Pass &pass)
{
    const QPointer<Session> alive = this;
    m_connection.process(pass.readable, pass.writable, pass.late);
    collect();
    if (m_closing)
        lose(Code::Closing, QStringLiteral("closed"));
    else if (isOverdue())
        lose(Code::SessionExpired,
             QStringLiteral("the last proof that the ensemble's leader keeps it is %1 ms old")
                 .arg(ms(m_connection.sinceProof())));
    if (alive)
        deliverAll();
    if (!alive)
        return;
    sendWaiting();
    m_connection.keepAlive();
    if (state() != State::Lost && !m_connection.isUp())
        m_names.refresh(lookUpPause());
    collect();
    waitForNextPass();
}

void Session::collect()
{
    for (ClientHandle::Event &event : m_connection.takeEvents())
        m_events.push_back(std::move(event));
}

void Session::waitForNextPass()
{
    if (state() == State::Lost)
        return;
    if (!m_events.empty() && !m_delivering)
        m_socket.wake();
    const ClientHandle::Interest interest = m_connection.interest();
    m_socket.arm(interest.fd, interest.write, std::clamp<async::Duration>(interest.wait, 0ms, lookUpPause()));
}

async::Duration Session::lookUpPause() const
{
    return std::max<async::Duration>(LookUpAgain, sessionTimeout() / 3);
}

async::Future<Response> Session::submit(Request request, std::shared_ptr<WatchCell> watch)
{
    if (watch)
        m_watches.expect(watch, chroot().seen(watch->path));
    async::Promise<Response> promise;
    async::Future<Response> future = promise.future();
    enqueue(std::move(request), std::move(watch), std::move(promise));
    if (!m_delivering) // onPass() sends what its deliveries have asked for, together
        sendWaiting();
    m_socket.wake();
    return future;
}

void Session::enqueue(Request request, std::shared_ptr<WatchCell> watch, async::Promise<Response> promise)
{
    auto call = std::make_unique<Call>();
    call->request = std::move(request);
    call->watch = std::move(watch);
    call->promise = std::move(promise);
    if (state() == State::Lost) {
        call->response.code = Code::SessionExpired;
        m_events.emplace_back(ClientHandle::Answered{std::move(call)});
    } else {
        m_waiting.push_back(std::move(call));
    }
}

// Sends the waiting calls, as far as possible. Never resumes a coroutine.
void Session::sendWaiting()
{
    if (state() != State::Connected || m_closing || isOverdue())
        return;
    const WholePackets packets(m_waiting.empty() ? -1 : m_socket.descriptor());
    while (!m_waiting.empty() && m_connection.isUp()) {
        const bool authenticates = std::holds_alternative<AddAuthRequest>(m_waiting.front()->request);
        if (authenticates && !m_connection.canAuthenticate())
            break;
        std::unique_ptr<Call> call = std::move(m_waiting.front());
        m_waiting.pop_front();
        m_connection.send(std::move(call));
    }
    removeUnwantedWatches();
    if (!m_connection.isUp())
        m_socket.forget(); // the C client has closed it
}

void Session::removeUnwantedWatches()
{
    for (const WatchRegistry::Place &place : m_watches.takeUnwanted())
        m_connection.removeWatches(place);
}

// All coroutines are resumed from here. A resumed coroutine may call or destroy this object.
void Session::deliverAll()
{
    if (m_delivering)
        return;
    const QPointer<Session> alive = this;
    m_delivering = true;
    for (std::size_t count = m_events.size(); count > 0 && !m_events.empty(); --count) {
        ClientHandle::Event event = std::move(m_events.front());
        m_events.pop_front();
        std::visit([this](auto &which) { deliver(std::move(which)); }, event);
        if (!alive)
            return;
    }
    m_delivering = false;
}

void Session::deliver(ClientHandle::LinkChange change)
{
    using Link = ClientHandle::Link;
    switch (change.link) {
    case Link::Up:
        qCInfo(lcSession, "session %ls: connected to %ls, time-out %lld ms", qUtf16Printable(hex(sessionId())),
               qUtf16Printable(server()), ms(sessionTimeout()));
        setState(State::Connected);
        return;
    case Link::Expired:
        lose(Code::SessionExpired, QStringLiteral("the server has ended it"));
        return;
    case Link::AuthFailed:
        lose(Code::AuthFailed, QStringLiteral("the server refuses the credentials"));
        return;
    default:
        if (state() == State::Connected) {
            qCInfo(lcSession, "session %ls: connection lost: %ls", qUtf16Printable(hex(sessionId())),
                   qUtf16Printable(lastTrouble()));
            setState(State::Suspended);
        }
    }
}

void Session::deliver(ClientHandle::Answered answer)
{
    Call &call = *answer.call;
    if (call.watch)
        m_watches.answered(call.watch, armsWatch(call.watch->kind, call.response.code));
    call.promise.set(seen(std::move(call.response)));
}

void Session::deliver(const WatchEvent &event)
{
    const WatchRegistry::Cells cells = m_watches.take(event);
    for (std::size_t i = 0; i < cells.size(); ++i)
        countWatchEvent();
    const WatchEvent shown = seen(event);
    for (const auto &cell : cells)
        cell->promise.set(shown); // may destroy this
}

void Session::deliver(const ClientHandle::WatchesRemoved &removed)
{
    m_watches.removed(removed.place, removed.gone);
    // Without a link they go at once, here. Else the C client would ask for them again with the next connection, which
    // a server breaks if they are too many.
    if (!removed.gone && state() != State::Lost && !m_connection.isUp())
        removeUnwantedWatches();
}

// The end, once: whatever has not been delivered yet ends with `code`, and so do the watches.
void Session::lose(Code code, const QString &why)
{
    if (state() == State::Lost)
        return;
    qCInfo(lcSession, "session %ls: lost: %ls", qUtf16Printable(hex(sessionId())), qUtf16Printable(why));
    m_trouble = lastTrouble();
    m_socket.stop();

    std::deque<ClientHandle::Event> ended;
    const auto end = [&](std::unique_ptr<Call> call) {
        call->response = {};
        call->response.code = code;
        ended.emplace_back(ClientHandle::Answered{std::move(call)});
    };
    for (ClientHandle::Event &event : m_events) {
        if (auto *answer = std::get_if<ClientHandle::Answered>(&event))
            end(std::move(answer->call));
    }
    for (std::unique_ptr<Call> &call : m_connection.takeCalls())
        end(std::move(call));
    for (std::unique_ptr<Call> &call : std::exchange(m_waiting, {}))
        end(std::move(call));
    m_events = std::move(ended);

    m_connection.close([closed = m_closed] { closed->set(); });
    const WatchRegistry::Cells cells = m_watches.takeAll();
    m_socket.wake();
    setState(State::Lost); // may destroy this, as may what follows
    for (const auto &cell : cells)
        cell->promise.fail(std::make_exception_ptr(sessionHasEnded()));
}

} // namespace drover::zk
