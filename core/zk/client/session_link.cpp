#include "zk/client/session.h"

#include <QLoggingCategory>
#include <QPointer>
#include <QRandomGenerator>

#include <fcntl.h>

// How a session finds, keeps and watches over its connection. The rest is in session.cpp.

namespace drover::zk {

Q_DECLARE_LOGGING_CATEGORY(lcSession)

using namespace std::chrono_literals;

namespace {

constexpr auto Late = 50ms;
constexpr auto LookUpAgain = 1s; // at the soonest, while no server can be reached

} // namespace

async::Duration Session::lookUpPause() const
{
    return std::max<async::Duration>(LookUpAgain, m_timeout / 3);
}

// Names are looked up where it may block; the C client only ever sees numeric addresses.
void Session::lookUp()
{
    m_lookedUpAt = loop().now();
    if (std::all_of(m_names.begin(), m_names.end(), [](const ServerAddress &name) { return name.isNumeric(); })) {
        lookedUp({m_names, {}, {}});
        return;
    }
    if (std::exchange(m_lookingUp, true))
        return;
    const auto resolved = std::make_shared<Resolved>();
    loop().offload([names = m_names, last = m_resolved, resolved] { *resolved = resolve(names, last); },
                   [names = m_names, resolved, session = QPointer(this)] {
                       if (!session)
                           return;
                       session->m_lookingUp = false;
                       if (session->m_names == names)
                           session->lookedUp(*resolved);
                       else
                           session->lookUp(); // setServers() has been called meanwhile
                   });
}

void Session::lookedUp(const Resolved &resolved)
{
    if (state() == State::Lost)
        return;
    m_trouble = resolved.trouble;
    m_resolved = resolved;
    // Many name servers give the addresses in another order each time; that is no reason to leave a server.
    const bool isSame =
        std::is_permutation(m_servers.begin(), m_servers.end(), resolved.servers.begin(), resolved.servers.end());
    if (!resolved.servers.empty() && !isSame)
        useServers(resolved.servers);
    postActivity();
}

void Session::useServers(ServerList servers)
{
    m_servers = servers;
    if (m_options.shuffle)
        std::shuffle(servers.begin(), servers.end(), *QRandomGenerator::global());
    if (!m_handle) {
        m_handle = std::make_shared<ClientHandle>(servers, m_options.timeout, m_options.resume);
        return;
    }
    m_handle->setServers(servers);
    if (m_handle->link() != Link::Up)
        listen(-1, false); // the socket may be closed already
}

// Whether this turn comes later than was asked for.
bool Session::watchForStalls()
{
    const async::Duration late = m_wakeAt == async::TimePoint{} ? 0ms : loop().now() - m_wakeAt;
    if (late > m_timeout / 3)
        qCWarning(lcSession, "session 0x%llx: this thread stood still for %lld ms; the session times out after %lld ms",
                  static_cast<unsigned long long>(m_id.session),
                  static_cast<long long>(std::chrono::ceil<std::chrono::milliseconds>(late).count()),
                  static_cast<long long>(m_timeout.count()));
    m_wakeAt = {};
    return late > Late;
}

// The C client's own pings prove nothing to us, for their answers are invisible.
void Session::keepAlive()
{
    const async::TimePoint now = loop().now();
    if (!m_handle || m_handle->link() != Link::Up || state() == State::Lost || now < m_keepAlive.dueAt())
        return;
    auto call = std::make_unique<Call>();
    call->request = SyncRequest{Path()};
    call->keepsAlive = true;
    m_keepAlive.sent(now);
    m_handle->send(std::move(call));
}

// The C client gives a silent server two thirds of the session time-out, too long to reach another one in time, and a
// server that has lost its leader for ever.
void Session::tryNextServerInTime()
{
    const Link link = m_handle ? m_handle->link() : Link::Down;
    const async::TimePoint now = loop().now();
    if (link == Link::Up && now >= m_keepAlive.patientUntil()) {
        qCInfo(lcSession,
               "session 0x%llx: %ls is silent, or has lost the leader of its ensemble; trying another server",
               static_cast<unsigned long long>(m_id.session), qUtf16Printable(server()));
        m_handle->leaveServer();
    }
    if (link == Link::Up)
        return;
    const async::Duration limit = m_timeout / static_cast<int>(m_servers.size() + 1);
    if ((link == Link::Connecting || link == Link::Handshake) && now - m_handle->attemptSince() > limit)
        m_handle->breakLink();
    if (m_servers != m_names && now - m_lookedUpAt > lookUpPause())
        lookUp();
}

// Waits for what the C client wants, and for our own deadlines.
void Session::rearm()
{
    if (state() == State::Lost)
        return;
    if (!m_events.empty() && !m_delivering)
        postActivity();
    async::Duration wait = lookUpPause();
    if (m_handle) {
        const ClientHandle::Interest interest = m_handle->interest();
        listen(interest.fd, interest.write);
        wait = std::min({wait, interest.wait, untilNextDuty()});
    }
    if (m_keepAlive.provenAt() != async::TimePoint{})
        wait = std::min<async::Duration>(wait, aliveUntil() - loop().now() + 1ms);
    wait = std::max<async::Duration>(wait, 0ms);
    m_wakeAt = loop().now() + wait;
    m_timer = loop().after(wait, [this] { onActivity(false, false); });
}

async::Duration Session::untilNextDuty() const
{
    if (m_handle->link() != Link::Up)
        return m_timeout / 8;
    return std::min(m_keepAlive.dueAt(), m_keepAlive.patientUntil()) - loop().now();
}

void Session::listen(int fd, bool write)
{
    if (fd >= 0 && fd != m_readable->socket())
        ::fcntl(fd, F_SETFD, FD_CLOEXEC); // libzookeeper does not; no program that we start may hold our connection
    for (QSocketNotifier *notifier : {m_readable.get(), m_writable.get()}) {
        if (notifier->socket() != fd) {
            notifier->setEnabled(false);
            notifier->setSocket(fd);
        }
    }
    m_readable->setEnabled(fd >= 0);
    m_writable->setEnabled(fd >= 0 && write);
}

} // namespace drover::zk
