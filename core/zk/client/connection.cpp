#include "zk/client/connection.h"

#include "zk/client/session_log.h"

namespace drover::zk {

using namespace std::chrono_literals;

namespace {

constexpr auto Late = 50ms; // a pass of the loop that may have been overtaken by a deadline

} // namespace

void Connection::useServers(const ServerList &servers)
{
    m_servers = servers.size();
    if (m_handle)
        m_handle->setServers(servers);
    else
        m_handle = std::make_shared<ClientHandle>(servers, m_timeout, m_id);
}

void Connection::process(bool readable, bool writable, async::Duration late)
{
    if (late > m_timeout / 3)
        qCWarning(lcSession, "session %ls: this thread stood still for %lld ms; the session times out after %lld ms",
                  qUtf16Printable(hex(m_id.session)), ms(late), ms(m_timeout));
    if (m_handle)
        m_handle->process(readable || late > Late, writable);
}

std::deque<ClientHandle::Event> Connection::takeEvents()
{
    std::deque<ClientHandle::Event> events;
    if (!m_handle)
        return events;
    for (ClientHandle::Event &event : m_handle->takeEvents()) {
        const auto *answer = std::get_if<ClientHandle::Answered>(&event);
        if (answer && answer->call->keepsAlive) {
            m_keepAlive.answered(m_loop.now(), answer->call->response.code == Code::Ok);
            continue;
        }
        if (const auto *change = std::get_if<ClientHandle::LinkChange>(&event))
            linkChanged(*change);
        events.push_back(std::move(event));
    }
    return events;
}

void Connection::linkChanged(const ClientHandle::LinkChange &change)
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
                          m_loop.now(), m_timeout);
}

// The C client gives a silent server two thirds of the session time-out, too long to reach another one in time, and a
// server that has lost its leader for ever.
void Connection::keepAlive()
{
    if (!m_handle)
        return;
    const async::TimePoint now = m_loop.now();
    if (isUp() && now >= m_keepAlive.dueAt())
        sendKeepAlive();
    const Link link = m_handle->link();
    if (link == Link::Up && now >= m_keepAlive.patientUntil()) {
        qCInfo(lcSession, "session %ls: %ls is silent, or has lost the leader of its ensemble; trying another server",
               qUtf16Printable(hex(m_id.session)), qUtf16Printable(server()));
        m_handle->leaveServer();
    }
    const async::Duration limit = m_timeout / static_cast<int>(m_servers + 1);
    if ((link == Link::Connecting || link == Link::Handshake) && now - m_handle->attemptSince() > limit)
        m_handle->breakLink();
}

// The C client's own pings prove nothing to us, for their answers are invisible.
void Connection::sendKeepAlive()
{
    auto call = std::make_unique<Call>();
    call->request = SyncRequest{Path()};
    call->keepsAlive = true;
    m_keepAlive.sent(m_loop.now());
    m_handle->send(std::move(call));
}

ClientHandle::Interest Connection::interest()
{
    ClientHandle::Interest interest{-1, false, async::Duration::max()};
    if (m_handle) {
        interest = m_handle->interest();
        const async::Duration duty = isUp() ? std::min(m_keepAlive.dueAt(), m_keepAlive.patientUntil()) - m_loop.now()
                                            : async::Duration(m_timeout / 8);
        interest.wait = std::min(interest.wait, duty);
    }
    if (everConnected())
        interest.wait = std::min<async::Duration>(interest.wait, aliveUntil() - m_loop.now() + 1ms);
    return interest;
}

std::vector<std::unique_ptr<Call>> Connection::takeCalls()
{
    return m_handle ? m_handle->detach() : std::vector<std::unique_ptr<Call>>();
}

void Connection::close(std::function<void()> closed)
{
    if (m_handle)
        m_loop.offload([handle = std::exchange(m_handle, nullptr)] { handle->close(); }, std::move(closed));
    else
        closed();
}

} // namespace drover::zk
