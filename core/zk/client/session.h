#pragma once

#include "zk/access.h"
#include "zk/client.h"
#include "zk/client/connection.h"
#include "zk/client/server_names.h"
#include "zk/client/socket_watch.h"
#include "zk/client/watch_registry.h"

#include <deque>

namespace drover::zk {

struct SessionOptions {
    QString servers; // see parseConnectString
    std::chrono::milliseconds timeout{10'000}; // a request; the server may change it
    Access access{}; // credentials, and the ACL of new nodes
    ClientId resume{}; // the session to take over; empty: a new one
    bool shuffle = true; // try the servers in random order, to spread sessions
};

// A session with a ZooKeeper ensemble, through libzookeeper_st and the Qt event loop of the thread that makes it.
//
// States. The session is Connecting until the first connection, for ever if no server can be reached (lastTrouble()
// says why). Then it is Connected. It is Suspended when the connection breaks: calls in progress fail with
// ConnectionLoss, after the state has changed. Later calls wait, unsent, for the next connection. It is Lost when the
// server reports that the session has expired or refuses the credentials, and on close(). It is also Lost by the local
// clock, once aliveUntil() has passed.
//
// Each pass of the event loop reads the socket, then looks at the clock, and only then delivers answers. So a program
// that was stopped for longer than the session time-out first learns that its session is lost, and sends nothing before
// that. Even true answers that arrived before the pause are withheld, because their reader would act on them too late.
// If the answers prove that the session is alive (KeepAlive), it is not Lost.
//
// If a server leaves a keep-alive unanswered for a third of the time-out, the session tries the next server. The server
// may be silent, or may have lost its leader.
//
// The end. close() and the destructor fail calls in progress with SessionLost and hand the connection to the loop's
// offload(). Closing it may take some seconds if the server does not answer. QtLoop's destructor waits up to five
// seconds for that, so a program that returns from main leaves no session behind. It does not wait longer for offloaded
// work that hangs, such as a read of a dead file system.
//
// A coroutine that the Session resumes may destroy the Session. Its destructor resumes all coroutines that wait for it.
class Session final : public Client
{
    Q_OBJECT

public:
    Session(async::Loop &loop, SessionOptions options);
    ~Session() override;

    // Begins to connect and returns. Throws InvalidConnectString. Call it once.
    void open();

    // Replaces the list of servers. A connection to a server that is no longer listed is closed. Throws
    // InvalidConnectString, also for another chroot.
    void setServers(const QString &servers);

    SessionId sessionId() const override { return m_connection.clientId().session; }
    std::chrono::milliseconds sessionTimeout() const override { return m_connection.timeout(); }
    async::TimePoint aliveUntil() const override { return m_connection.aliveUntil(); }
    Diagnosis diagnosis() const override { return {server(), lastTrouble()}; }
    async::Task<void> close() override;

    const ClientId &clientId() const { return m_connection.clientId(); }
    QString server() const { return m_connection.server(); } // host:port, while connected
    // Why there is no connection, for people: the servers that were tried, and the last server's failure.
    QString lastTrouble() const;

protected:
    async::Future<Response> submit(Request request, std::shared_ptr<WatchCell> watch) override;

private:
    void useServers(ServerList servers);
    void onPass(const SocketWatch::Pass &pass);
    void collect();
    void waitForNextPass();
    async::Duration lookUpPause() const;

    void enqueue(Request request, std::shared_ptr<WatchCell> watch, async::Promise<Response> promise);
    void sendWaiting();
    void removeUnwantedWatches();
    bool isOverdue() const { return state() != State::Lost && m_connection.isOverdue(); }

    void deliverAll();
    void deliver(ClientHandle::LinkChange change);
    void deliver(ClientHandle::Answered answer);
    void deliver(const WatchEvent &event);
    void deliver(const ClientHandle::WatchesRemoved &removed);
    void lose(Code code, const QString &why);

    SessionOptions m_options;
    ServerNames m_names;
    Connection m_connection;
    SocketWatch m_socket;
    QString m_trouble; // at the end; empty until then

    WatchRegistry m_watches;
    std::deque<std::unique_ptr<Call>> m_waiting; // calls without a connection
    std::deque<ClientHandle::Event> m_events;
    std::shared_ptr<async::Event> m_closed = std::make_shared<async::Event>();
    bool m_delivering = false;
    bool m_closing = false;
};

} // namespace drover::zk
