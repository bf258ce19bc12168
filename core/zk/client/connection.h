#pragma once

#include "async/loop.h"
#include "zk/client/client_handle.h"
#include "zk/client/keep_alive.h"

#include <functional>
#include <memory>

namespace drover::zk {

// How one session reaches its ensemble: over one server after another, by the C client, with keep-alives. Decides when
// a server that is silent, or has lost its leader, is left for the next. Lives on the loop's thread. It never resumes a
// coroutine, but for `closed` of close().
class Connection
{
public:
    Connection(async::Loop &loop, std::chrono::milliseconds timeout, const ClientId &resume)
        : m_loop(loop), m_id(resume), m_timeout(timeout)
    {
    }

    // Begins to connect to `servers`, numeric addresses, in this order. A connection to a server that is not among them
    // is closed. Throws std::system_error.
    void useServers(const ServerList &servers);

    bool isUp() const { return m_handle && m_handle->link() == ClientHandle::Link::Up; }
    const ClientId &clientId() const { return m_id; }
    std::chrono::milliseconds timeout() const { return m_timeout; } // as asked for, before the first connection
    QString server() const { return m_handle ? m_handle->server() : QString(); } // host:port, while connected
    QString lastTrouble() const { return m_handle ? m_handle->lastTrouble() : QString(); }

    // See Client::aliveUntil(), and whether that instant has passed.
    async::TimePoint aliveUntil() const { return m_keepAlive.provenAt() + m_timeout; }
    bool isOverdue() const { return everConnected() && m_loop.now() > aliveUntil(); }
    async::Duration sinceProof() const { return m_loop.now() - m_keepAlive.provenAt(); }

    // Only while it is up; see ClientHandle.
    bool canAuthenticate() const { return m_handle->canAuthenticate(); }
    void send(std::unique_ptr<Call> call) { m_handle->send(std::move(call)); }
    void removeWatches(const WatchRegistry::Place &place) { m_handle->removeWatches(place); }

    // Lets the C client read and write. `late` says how much later this call comes than interest() asked for. After a
    // long delay the socket is read in any case, because what arrived in time counts before any deadline.
    void process(bool readable, bool writable, async::Duration late);
    // What has happened since the last call, but for the answers of keep-alives.
    std::deque<ClientHandle::Event> takeEvents();
    // Sends the keep-alive that is due, and leaves a server that has been silent for too long.
    void keepAlive();
    // What to wait for before the next process(), keepAlive() and isOverdue().
    ClientHandle::Interest interest();

    // Takes out all calls without an answer, in the order of sending; close() follows. From then on there are no
    // events.
    std::vector<std::unique_ptr<Call>> takeCalls();
    // Ends the session in the background, which may take some seconds, and then calls `closed` from the loop. Calls it
    // at once if there is nothing to end. The connection is never up again.
    void close(std::function<void()> closed);

private:
    using Link = ClientHandle::Link;

    bool everConnected() const { return m_keepAlive.provenAt() != async::TimePoint{}; }
    void linkChanged(const ClientHandle::LinkChange &change);
    void sendKeepAlive();

    async::Loop &m_loop;
    ClientId m_id;
    std::chrono::milliseconds m_timeout;
    std::size_t m_servers = 0;
    KeepAlive m_keepAlive;
    std::shared_ptr<ClientHandle> m_handle; // null: no server is known, or the end
};

} // namespace drover::zk
