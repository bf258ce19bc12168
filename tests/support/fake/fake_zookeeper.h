#pragma once

#include "support/fake/fake_connection.h"
#include "support/fake/fake_tree.h"
#include "support/fake/fault_injector.h"

namespace drover::test {

struct FakeSessionOptions {
    std::chrono::milliseconds sessionTimeout{6000};
    async::Duration latency{0}; // one way
    FaultInjector *faults = nullptr; // several sessions may share one
    bool readsProve = false; // the mutant that takes any answer for a proof that the session lives
    // Changes requests before they are sent: for deliberately broken variants.
    std::function<void(zk::Request &)> sabotage = {};
    zk::Path chroot = {};
};

// A ZooKeeper 3.8 server in memory and in virtual time: same codes, Stats, zxids, watches and session rules, and no
// real time spent. tests/core/zk/fake_conformance_test.cpp holds it to the real one. Outlives its sessions.
//
// It is an ensemble as its clients know it. Each connection leads to a server of its own, whose view is the tree as
// some transaction has left it: the newest, unless the server lags. A lagging server answers reads and fires watches
// from its view, which moves on with the answers to the session's own writes, with sync, and at the end of the lag. A
// server whose view is older than what a session has seen refuses that session.
class FakeZooKeeper
{
public:
    // What moved the zxid, apart from requests that were refused.
    struct Commit {
        enum class Kind { Write, SessionOpened, SessionClosed, Outlived };
        zk::Zxid zxid = 0;
        Kind kind = Kind::Write;
        zk::SessionId session = 0;
        FakeCallPtr call; // of a write: the request and its response
        zk::Path path; // of an outlived container or TTL node
        std::vector<zk::WatchEvent> events{};

        QByteArray toString() const;
    };

    explicit FakeZooKeeper(VirtualLoop &world) : m_world(world) { }
    const VirtualLoop &world() const { return m_world; }

    // A session of the process that `loop` is; `loop` has to outlive it.
    std::unique_ptr<FakeSession> connect(ProcessLoop &loop, const FakeSessionOptions &options = {});

    // Controls. A stopped server has lost every connection; sessions get their full time-out anew when it starts.
    // expire() ends a session at once, as an administrator may: the only way in which one ends before aliveUntil().
    // If the session's server is cut off, its client gets no event.
    void stop();
    void start();
    bool running() const { return m_running; }
    void expire(zk::SessionId session);
    // The server of this session falls behind from now on, for so long; a longer lag that is under way goes on. `fate`:
    // the fault that wants it.
    void lag(zk::SessionId session, async::Duration duration, const FaultInjector::Decision &fate = {});
    // It has caught up.
    void catchUp(zk::SessionId session);
    // The server of this session is cut from its leader: it answers reads from the view that it has, until the session
    // asks for a write or a sync, which is never answered, nor is what is asked behind that. The leader hears no more
    // of the session and ends it after its time-out. The server gives up, and breaks the connection, after `unnoticed`.
    void isolate(zk::SessionId session, async::Duration unnoticed, const FaultInjector::Decision &fate = {});
    // Called when a session is ended before its time, by expire() or a fault: against that no lease helps.
    void onEviction(std::function<void(zk::SessionId)> observer) { m_evictionObserver = std::move(observer); }
    // Every request, SetWatches too, that is larger breaks the connection: jute.maxbuffer.
    static constexpr qsizetype UsualLargestRequest = 1024 * 1024 - 1;
    void setLargestRequest(qsizetype bytes) { m_largestRequest = bytes; }
    // From now on the servers take so long for each request of any client, one after the other. What has arrived is
    // carried out although its connection breaks meanwhile. Heartbeats are in time.
    void setServiceTime(async::Duration time) { m_serviceTime = time; }
    FakeTree &tree() { return m_tree; }

    // How often what stands in the way of clients, besides faults, has had an effect.
    struct Obstacles {
        qint64 readsRefused = 0; // for want of a right
        qint64 writesRefused = 0;
        qint64 tooLarge = 0; // requests, which broke their connections
        qint64 waits = 0; // of requests for those before them
    };
    const Obstacles &obstacles() const { return m_obstacles; }

    // Inspection.
    const FakeTree &tree() const { return m_tree; }
    QByteArray dump() const { return m_tree.dump(); }
    zk::Zxid lastZxid() const { return m_zxid; }
    std::vector<zk::SessionId> sessions() const;
    std::vector<ServerWatches::Armed> watches() const { return m_watches.all(); }
    const std::vector<Commit> &log() const { return m_log; }
    QByteArray trace() const; // the log, a line a commit: equal traces are equal runs
    // Called after each commit, when tree() is as that commit left it: the place for invariants.
    void onCommit(std::function<void(const Commit &)> observer) { m_observer = std::move(observer); }

private:
    friend class FakeSession;

    struct Session {
        zk::SessionId id = 0;
        std::chrono::milliseconds timeout{0};
        std::shared_ptr<FakeConnection> connection;
        std::vector<QByteArray> digests;
        std::optional<zk::Zxid> view; // of its server, while that lags
        async::TimePoint lagsUntil;
        async::Timer lagEnd;
        bool cut = false; // its server, from the leader
        bool stuck = false; // behind a request that the leader would have to answer
        bool over = false; // for the leader, and its server does not know
        FaultInjector::Decision harm; // the fault that keeps its server behind or cut off, if one does
        bool silent = false; // the server hears nothing from the client, and `expiry` runs
        async::Timer expiry;
    };

    // What arrives from clients.
    struct Hello {
        zk::SessionId session = 0; // 0: a new one
        std::chrono::milliseconds timeout{0};
        zk::Zxid seen = 0;
        FaultInjector::Server server{}; // that it has come to
    };
    struct Welcome {
        zk::SessionId session = 0; // 0: it has expired
        bool refused = false; // the server is behind what the session has seen
    };
    Welcome greet(const std::shared_ptr<FakeConnection> &connection, const Hello &hello);
    void receive(const std::shared_ptr<FakeConnection> &connection, const FakeCallPtr &call,
                 const FaultInjector::Decision &fate);
    void process(const std::shared_ptr<FakeConnection> &connection, const FakeCallPtr &call,
                 const FaultInjector::Decision &fate);
    void rearm(const std::shared_ptr<FakeConnection> &connection, const std::vector<ClientWatches::Standing> &standing,
               zk::Zxid seen);
    void disarm(zk::SessionId session, ServerWatches::Table table, const zk::Path &path);
    void close(zk::SessionId session); // at its client's wish
    void closeNow(zk::SessionId session);
    bool heard(zk::SessionId session); // false: its server cannot tell the leader

    // What the server notices, or not.
    void silent(zk::SessionId session);
    void connectionGone(zk::SessionId session);
    void timeOut(zk::SessionId session);
    void end(zk::SessionId session);

    bool isTooLarge(qsizetype bytes, const FakeConnection &connection);
    void serve(Session &session, const FakeCallPtr &call);
    void noteRefusal(const FakeCall &call);
    void proposeLate(zk::SessionId session, const FakeCallPtr &call, const FaultInjector::Decision &fate);
    void commitLate();
    zk::Response authenticate(Session &session, const zk::AddAuthRequest &request);
    void commit(Commit commit);
    void fire(const std::vector<zk::WatchEvent> &events);
    zk::Zxid viewOf(const Session &session) const { return session.view.value_or(m_zxid); }
    void fallBehind(Session &session, zk::Zxid view, async::Duration duration);
    void advance(Session &session);
    void noteStale(const Session &session, const FakeCall &call) const;
    void noteOvertaken(const FaultInjector::Decision &fate) const;
    void tell(const Session &session, const zk::WatchEvent &event, zk::Zxid zxid);
    void sendEvent(FakeConnection &connection, const zk::WatchEvent &event);
    void removeOutlived();
    void watchForOutlived();
    qint64 wallTime() const;

    VirtualLoop &m_world;
    FakeTree m_tree;
    ServerWatches m_watches;
    std::map<zk::SessionId, Session> m_sessions;
    std::vector<FakeSession *> m_clients;
    std::vector<Commit> m_log;
    std::vector<std::tuple<zk::SessionId, FakeCallPtr, FaultInjector::Decision>> m_late; // proposed and not committed
    std::function<void(const Commit &)> m_observer;
    std::function<void(zk::SessionId)> m_evictionObserver;
    zk::Zxid m_zxid = 0;
    async::TimePoint m_committedAt; // the last commit
    zk::SessionId m_lastSession = 0x100000000000000;
    qsizetype m_largestRequest = UsualLargestRequest;
    async::Duration m_serviceTime{0};
    async::TimePoint m_busyUntil;
    Obstacles m_obstacles;
    bool m_running = true;
    bool m_watchingForOutlived = false;
    async::Timer m_outlivedCheck;
};

} // namespace drover::test
