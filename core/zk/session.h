#pragma once

#include "zk/client_handle.h"
#include "zk/connect_string.h"
#include "zk/coordinator.h"
#include "zk/keep_alive.h"
#include "zk/watch_registry.h"

#include <QSocketNotifier>

#include <deque>

namespace drover::zk {

struct Credentials {
    QByteArray scheme; // "digest"
    QByteArray secret; // "user:password"
};

struct SessionOptions {
    QString servers; // see parseConnectString
    std::chrono::milliseconds timeout{10'000}; // asked for; the server has the last word
    std::vector<Credentials> credentials{}; // added as soon as there is a connection
    ClientId resume{}; // of a session to take over; none: a new one
    bool shuffle = true; // try the servers in random order, so that sessions spread over them; false: as given
};

// A session with a ZooKeeper ensemble, through libzookeeper_st and the Qt event loop of the thread that makes it.
//
// States. Connecting until the first connection, for ever if no server can be reached (lastTrouble() says why).
// Connected. Suspended when the connection breaks: the calls that were under way fail with ConnectionLoss, after the
// state has changed; calls made now wait, unsent, for the connection to come back. Lost when the server says that the
// session has expired, when it refuses the credentials, on close(), or by our own clock: once aliveUntil() has passed.
//
// The clock is looked at first in every turn, after what the socket holds has been read but before anybody is told of
// it. A program that was stopped for longer than the session time-out therefore learns that it has lost its session
// before it sees anything else, and nothing that it does in between is sent: even true answers that arrived before the
// pause are then withheld, for their reader would act on them too late. If the answers that were read prove that the
// session is alive (KeepAlive), it is not Lost.
//
// A server that leaves a keep-alive without an answer for a third of the time-out is given up, whether it is silent or
// has lost the leader of its ensemble: the next one may save the session.
//
// The end. close() and the destructor fail what is under way with SessionLost and hand the connection to the loop's
// offload(), where saying good-bye may take some seconds if the server does not answer. QtLoop's destructor waits up to
// five seconds for that, so that a program that returns from main leaves no session behind, and hangs with no file that
// another has offloaded.
//
// The Session may be destroyed by whoever it resumes. Destroying it resumes everybody who waits for it.
class Session final : public Coordinator
{
    Q_OBJECT

public:
    Session(async::Loop &loop, SessionOptions options);
    ~Session() override;

    // Begins to connect and returns. Throws InvalidConnectString. Once.
    void open();

    // Ends the session; the server deletes its ephemeral nodes. Returns when that is done or the server did not answer.
    async::Task<void> close();

    // Other servers to use from now on, by the same rules as at first: a connection to one that is no longer listed is
    // given up. Throws InvalidConnectString.
    void setServers(const QString &servers);

    SessionId sessionId() const override { return m_id.session; }
    std::chrono::milliseconds sessionTimeout() const override { return m_timeout; }
    async::TimePoint aliveUntil() const override { return m_keepAlive.provenAt() + m_timeout; }

    const ClientId &clientId() const { return m_id; }
    QString server() const { return m_handle ? m_handle->server() : QString(); } // host:port, while connected
    // Why there is no connection, for people: which servers were tried and what the last of them did.
    QString lastTrouble() const;

protected:
    async::Future<Response> submit(Request request, std::shared_ptr<WatchCell> watch) override;

private:
    using Link = ClientHandle::Link;

    async::Duration lookUpPause() const;
    void lookUp();
    void lookedUp(const Resolved &resolved);
    void useServers(ServerList servers);

    void turn(bool readable, bool writable);
    void postTurn();
    bool watchForStalls();
    void collect();
    void linkChanged(const ClientHandle::LinkChange &change);
    void keepAlive();
    void tryNextServerInTime();
    async::Duration untilNextDuty() const;
    void rearm();
    void listen(int fd, bool write);

    void enqueue(Request request, std::shared_ptr<WatchCell> watch, async::Promise<Response> promise);
    void release();
    bool isOverdue() const;

    void drain();
    void deliver(ClientHandle::LinkChange change);
    void deliver(ClientHandle::Answered answer);
    void deliver(const WatchEvent &event);
    void deliver(const ClientHandle::WatchesRemoved &removed);
    void lose(Code code, const QString &why);

    SessionOptions m_options;
    ServerList m_names;
    ServerList m_servers;
    Resolved m_resolved; // the last time
    ClientId m_id;
    std::chrono::milliseconds m_timeout;
    KeepAlive m_keepAlive;
    async::TimePoint m_wakeAt{};
    async::TimePoint m_lookedUpAt{};
    QString m_trouble;

    std::shared_ptr<ClientHandle> m_handle; // null: looking up names, or Lost
    WatchRegistry m_watches;
    std::deque<std::unique_ptr<Call>> m_waiting; // for a connection
    std::deque<ClientHandle::Happening> m_happenings;
    std::shared_ptr<async::Event> m_closed = std::make_shared<async::Event>();

    // Deleted later: they may be what calls us when we are destroyed.
    struct DeleteLater {
        void operator()(QObject *object) const { object->deleteLater(); }
    };
    std::unique_ptr<QSocketNotifier, DeleteLater> m_readable{new QSocketNotifier(QSocketNotifier::Read)};
    std::unique_ptr<QSocketNotifier, DeleteLater> m_writable{new QSocketNotifier(QSocketNotifier::Write)};
    async::Timer m_timer;
    bool m_lookingUp = false;
    bool m_turnPosted = false;
    bool m_draining = false;
    bool m_closing = false;
};

} // namespace drover::zk
