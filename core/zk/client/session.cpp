#include "zk/client/session.h"

#include "zk/session_end.h"

#include <QLoggingCategory>
#include <QPointer>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace drover::zk {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcSession, "drover.zk.session", QtInfoMsg)

namespace {

QString hex(SessionId id)
{
    return QStringLiteral("0x%1").arg(static_cast<quint64>(id), 0, 16);
}

qint64 ms(async::Duration duration)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

// While it lives, what is sent becomes whole packets. The C client sends each request in two parts, which would be a
// packet each, and wake the server twice.
class WholePackets
{
public:
    explicit WholePackets(qintptr socket) : m_socket(static_cast<int>(socket)) { hold(1); }
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
    : Client(loop), m_options(std::move(options)), m_id(m_options.resume), m_timeout(m_options.timeout)
{
    connect(m_readable.get(), &QSocketNotifier::activated, this, [this] { onActivity(true, false); });
    connect(m_writable.get(), &QSocketNotifier::activated, this, [this] { onActivity(false, true); });
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
    m_names = parseConnectString(m_options.servers);
    setChroot(chrootOf(m_options.servers));
    lookUp();
}

void Session::setServers(const QString &servers)
{
    if (chrootOf(servers) != chroot().top())
        throw InvalidConnectString(
            QStringLiteral("a session keeps its root %1: \"%2\" has another").arg(chroot().top().toString(), servers));
    m_names = parseConnectString(servers);
    m_options.servers = servers;
    lookUp();
}

async::Task<void> Session::close()
{
    const std::shared_ptr<async::Event> closed = m_closed; // outlives this
    sendWaiting(); // what was asked for before is carried out
    m_closing = true;
    postActivity();
    co_await closed->wait();
}

QString Session::lastTrouble() const
{
    QStringList tried;
    for (const ServerAddress &server : m_servers)
        tried.append(server.toString());
    const QString last = m_handle ? m_handle->lastTrouble() : QString();
    QStringList parts;
    if (m_servers == m_names && !last.isEmpty())
        parts.append(last); // who asks has named them
    else if (!tried.isEmpty() && !last.isEmpty())
        parts.append(QStringLiteral("tried %1; %2").arg(tried.join(u", "), last));
    if (!m_trouble.isEmpty())
        parts.append(m_trouble);
    return parts.join(u"; ");
}

void Session::postActivity()
{
    if (std::exchange(m_activityPosted, true))
        return;
    loop().post([session = QPointer(this)] {
        if (session)
            session->onActivity(false, false);
    });
}

void Session::onActivity(bool readable, bool writable)
{
    const QPointer<Session> alive = this;
    m_activityPosted = false;
    const bool late = watchForStalls();
    if (m_handle)
        m_handle->process(readable || late, writable); // what has come in time counts before any deadline
    collect();
    if (m_closing)
        lose(Code::Closing, QStringLiteral("closed"));
    else if (isOverdue())
        lose(Code::SessionExpired,
             QStringLiteral("the last proof that the ensemble's leader keeps it is %1 ms old")
                 .arg(ms(loop().now() - m_keepAlive.provenAt())));
    if (alive)
        deliverAll();
    if (!alive)
        return;
    sendWaiting();
    keepAlive();
    tryNextServerInTime();
    collect();
    rearm();
}

// Takes over what the C client has to tell, and what follows for our clock.
void Session::collect()
{
    if (!m_handle)
        return;
    for (ClientHandle::Event &event : m_handle->takeEvents()) {
        const auto *answer = std::get_if<ClientHandle::Answered>(&event);
        if (answer && answer->call->keepsAlive) {
            m_keepAlive.answered(loop().now(), answer->call->response.code == Code::Ok);
            continue;
        }
        if (const auto *change = std::get_if<ClientHandle::LinkChange>(&event))
            linkChanged(*change);
        m_events.push_back(std::move(event));
    }
}

void Session::linkChanged(const ClientHandle::LinkChange &change)
{
    if (change.link != Link::Up) {
        m_keepAlive.disconnected();
        return;
    }
    const bool isNew = m_id.session == 0;
    m_id = m_handle->clientId();
    m_timeout = m_handle->timeout();
    m_handle->clearTrouble();
    m_keepAlive.connected(isNew ? KeepAlive::Handshake::Created : KeepAlive::Handshake::Resumed, change.handshakeSent,
                          loop().now(), m_timeout);
}

bool Session::isOverdue() const
{
    const bool everConnected = m_keepAlive.provenAt() != async::TimePoint{};
    return state() != State::Lost && everConnected && loop().now() > aliveUntil();
}

async::Future<Response> Session::submit(Request request, std::shared_ptr<WatchCell> watch)
{
    if (watch)
        m_watches.expect(watch, chroot().seen(watch->path));
    async::Promise<Response> promise;
    async::Future<Response> future = promise.future();
    enqueue(std::move(request), std::move(watch), std::move(promise));
    if (!m_delivering) // onActivity() sends what its deliveries have asked for, together
        sendWaiting();
    postActivity();
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
    if (!m_handle || state() != State::Connected || m_closing || isOverdue())
        return;
    const WholePackets packets(m_waiting.empty() ? -1 : m_readable->socket());
    while (!m_waiting.empty() && m_handle->link() == Link::Up) {
        const bool authenticates = std::holds_alternative<AddAuthRequest>(m_waiting.front()->request);
        if (authenticates && !m_handle->canAuthenticate())
            break;
        std::unique_ptr<Call> call = std::move(m_waiting.front());
        m_waiting.pop_front();
        m_handle->send(std::move(call));
    }
    removeUnwantedWatches();
    if (m_handle->link() != Link::Up)
        listen(-1, false); // the socket is closed already
}

void Session::removeUnwantedWatches()
{
    for (const WatchRegistry::Place &place : m_watches.takeUnwanted())
        m_handle->removeWatches(place);
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
    switch (change.link) {
    case Link::Up:
        qCInfo(lcSession, "session %ls: connected to %ls, time-out %lld ms", qUtf16Printable(hex(m_id.session)),
               qUtf16Printable(server()), static_cast<long long>(m_timeout.count()));
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
            qCInfo(lcSession, "session %ls: connection lost: %ls", qUtf16Printable(hex(m_id.session)),
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
    if (!removed.gone && m_handle && m_handle->link() != Link::Up)
        removeUnwantedWatches();
}

// The end, once: whatever has not been delivered yet ends with `code`, and so do the watches.
void Session::lose(Code code, const QString &why)
{
    if (state() == State::Lost)
        return;
    qCInfo(lcSession, "session %ls: lost: %ls", qUtf16Printable(hex(m_id.session)), qUtf16Printable(why));
    m_trouble = lastTrouble();
    listen(-1, false);
    m_timer.cancel();

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
    if (m_handle) {
        for (std::unique_ptr<Call> &call : m_handle->detach())
            end(std::move(call));
    }
    for (std::unique_ptr<Call> &call : std::exchange(m_waiting, {}))
        end(std::move(call));
    m_events = std::move(ended);

    if (m_handle)
        loop().offload([handle = std::exchange(m_handle, nullptr)] { handle->close(); },
                       [closed = m_closed] { closed->set(); });
    else
        m_closed->set();

    const WatchRegistry::Cells cells = m_watches.takeAll();
    postActivity();
    setState(State::Lost); // may destroy this, as may what follows
    for (const auto &cell : cells)
        cell->promise.fail(std::make_exception_ptr(sessionHasEnded()));
}

} // namespace drover::zk
