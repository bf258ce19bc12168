#pragma once

#include "support/fake_connection.h"
#include "support/fake_tree.h"
#include "support/fault_injector.h"

namespace drover::test {

struct FakeSessionOptions {
    std::chrono::milliseconds sessionTimeout{6000};
    async::Duration latency{0}; // one way
    FaultInjector *faults = nullptr; // several sessions may share one
    // Changes requests before they are sent: for deliberately broken variants.
    std::function<void(zk::Request &)> sabotage = {};
};

// A ZooKeeper 3.8 server in memory and in virtual time: same codes, Stats, zxids, watches and session rules, and no
// real time spent. tests/core/zk/fake_conformance_test.cpp holds it to the real one. Outlives its sessions.
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

        QByteArray toString() const;
    };

    explicit FakeZooKeeper(VirtualLoop &world) : m_world(world) { }
    const VirtualLoop &world() const { return m_world; }

    // A session of the process that `loop` is; `loop` has to outlive it.
    std::unique_ptr<FakeSession> connect(ParticipantLoop &loop, const FakeSessionOptions &options = {});

    // Controls. A stopped server has lost every connection; sessions get their full time-out anew when it starts.
    // expire() ends a session at once, as an administrator may: the only way in which one ends before aliveUntil().
    void stop();
    void start();
    bool running() const { return m_running; }
    void expire(zk::SessionId session);
    FakeTree &tree() { return m_tree; }

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
        bool silent = false; // the client is not heard of, and `expiry` runs
        async::Timer expiry;
    };

    // What arrives from clients.
    zk::SessionId greet(const std::shared_ptr<FakeConnection> &connection, zk::SessionId id,
                        std::chrono::milliseconds timeout);
    void receive(const std::shared_ptr<FakeConnection> &connection, const FakeCallPtr &call,
                 const FaultInjector::Decision &fate);
    void rearm(const std::shared_ptr<FakeConnection> &connection, const std::vector<ClientWatches::Standing> &standing,
               zk::Zxid seen);
    void disarm(zk::SessionId session, ServerWatches::Table table, const zk::Path &path);
    void close(zk::SessionId session);
    void heard(zk::SessionId session);

    // What the server notices, or not.
    void silent(zk::SessionId session);
    void connectionGone(zk::SessionId session);

    void serve(Session &session, const FakeCallPtr &call);
    zk::Response authenticate(Session &session, const zk::AddAuthRequest &request);
    void commit(Commit commit);
    void fire(const std::vector<zk::WatchEvent> &events);
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
    std::function<void(const Commit &)> m_observer;
    zk::Zxid m_zxid = 0;
    zk::SessionId m_lastSession = 0x100000000000000;
    bool m_running = true;
    bool m_watchingForOutlived = false;
    async::Timer m_outlivedCheck;
};

} // namespace drover::test
