#pragma once

#include "async/loop.h"
#include "async/task_group.h"
#include "zk/answer.h"
#include "zk/chroot.h"
#include "zk/watch.h"

#include <QObject>

namespace drover::zk {

// One ZooKeeper session, from its first connection to its end. Recipes and the scheduler know ZooKeeper only through
// this class. Session implements it with a real server; tests/support has an in-memory twin, whose server injects
// faults.
//
// It lives on the thread of its loop(), which must never be blocked. A Lost client stays lost: make a new one.
// Operations in progress fail with SessionLost when the session ends, and with ConnectionLoss when the connection
// breaks. In both cases the server may have carried them out.
//
// Guarantees (zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html, "Consistency Guarantees" and "ZooKeeper
// Watches"): Requests of one session are carried out in the order of the calls. A watch fires before any reply that
// shows the change which fired it. Replies and events are delivered one at a time, from the loop, and never from within
// a call to this class.
class Client : public QObject
{
    Q_OBJECT

public:
    enum class State {
        Connecting, // not yet connected for the first time
        Connected,
        Suspended, // the connection is gone; the session may outlive it
        Lost, // the session has ended
    };
    Q_ENUM(State)

    // For people.
    struct Diagnosis {
        QString server; // host:port of the connected server, or empty
        QString trouble; // why there is no connection: the servers that were tried, and the last one's failure
    };

    struct Counters {
        quint64 requests = 0;
        quint64 watchEvents = 0;
    };

    explicit Client(async::Loop &loop);
    ~Client() override;

    async::Loop &loop() const { return m_loop; }
    State state() const { return m_state; }
    const Counters &counters() const { return m_counters; }

    // 0 before the first connection.
    virtual SessionId sessionId() const = 0;
    // The negotiated time-out; before the first connection the requested one.
    virtual std::chrono::milliseconds sessionTimeout() const = 0;
    // The session cannot have expired before this instant: it is one session time-out after the ensemble's leader is
    // known to have heard of the session. A read proves nothing, because it does not pass through the leader. Normally
    // the instant is some six tenths of a time-out ahead, and half of one after a reconnection. After it another
    // session may own this session's locks. zk/client/keep_alive.h has the proof.
    virtual async::TimePoint aliveUntil() const = 0;
    // The in-memory twin has none.
    virtual Diagnosis diagnosis() const { return {}; }

    // Ends the session; the server deletes its ephemeral nodes. Returns when that is done or the server did not answer.
    virtual async::Task<void> close() = 0;

    // Return when the session is connected; not connected; lost. connected() throws SessionLost if the session ends
    // first.
    //
    // A loop that repeats a request after ConnectionLoss awaits connected() before the next. So connected() also waits
    // if an overloaded server has discarded a request of this session (Code::Throttled). It waits for 10 ms. The
    // pause doubles, up to a second, if one is discarded again within ten pauses; otherwise it is 10 ms again.
    async::Task<void> connected();
    async::Task<void> interrupted();
    async::Task<void> lost();

    // Reads, each with an optional one-shot watch that is armed by the same request.
    Reply<Stat> exists(const Path &path);
    Reply<Stat> exists(const Path &path, Watch &watch);
    Reply<Node> get(const Path &path);
    Reply<Node> get(const Path &path, Watch &watch);
    Reply<Children> children(const Path &path);
    Reply<Children> children(const Path &path, Watch &watch);
    Reply<AclOfNode> acl(const Path &path);

    // Makes the session's server catch up with the leader before the reads that follow.
    Reply<Nothing> sync(const Path &path);

    // Without an ACL the node gets the one that the session has for its path (zk/access.h).
    Reply<Created> create(const Path &path, const QByteArray &data, CreateMode mode = CreateMode::Persistent,
                          const AclList &acl = AclList());
    Reply<Created> createWithTtl(const Path &path, const QByteArray &data, std::chrono::milliseconds ttl,
                                 CreateMode mode = CreateMode::Ttl, const AclList &acl = AclList());
    Reply<Nothing> remove(const Path &path, qint32 version = AnyVersion);
    Reply<Stat> set(const Path &path, const QByteArray &data, qint32 version = AnyVersion);
    Reply<Nothing> setAcl(const Path &path, const AclList &acl, qint32 aversion = AnyVersion);
    Reply<Committed> commit(const Transaction &transaction);

    // Adds credentials to the session, e.g. "digest", "user:password". They are sent again on each reconnection.
    Reply<Nothing> addAuth(const QByteArray &scheme, const QByteArray &credentials);

    // The ACL of nodes that are created without one. By default they are open.
    void setAclOfNewNodes(AclOfPath aclOf) { m_aclOfNewNodes = std::move(aclOf); }

    // The ensemble's dynamic configuration (/zookeeper/config): one "server.N=..." line for each member.
    Reply<Node> configuration();

    // Sends any operation. Throws RequestTooLarge before it sends anything.
    async::Future<Response> send(Request request, Watch *watch);

    // Creates `path` and the parents it lacks, as persistent empty nodes; existing ones are left alone. That includes
    // the chroot and its parents, which get the ACL of "/". Waits out lost connections; throws SessionLost, and
    // AccessDenied for a node that is missing.
    async::Task<void> ensurePath(Path path);

    // Called once from the loop when a clean-up has ended. It gets null if that was carried out, else SessionLost or
    // the error by which a server refused it. It may be dropped uncalled if the Client is destroyed first.
    using CleanupEnd = std::function<void(std::exception_ptr)>;

    // Deletes a node in the background and returns at once. The clean-up outlives its caller. It is retried after each
    // connection loss until the node is gone or the session has ended, which deletes ephemeral nodes as well.
    void discard(const Path &path);
    // Deletes a node whose name other clients may create again once it is free. After a lost reply it deletes only the
    // node that was created at `czxid`.
    void discard(const Path &path, Zxid czxid, CleanupEnd end = nullptr);
    // For a node whose create may or may not have succeeded: deletes every child of `directory` whose name begins with
    // `prefix`. If the prefix is not unique to this create, pass unique `data`: then only a node of this session with
    // that data is deleted.
    void discardMatching(const Path &directory, const QByteArray &prefix, const QByteArray &data = {});
    // For an ephemeral node of a fixed name: deletes it only if this session created it. With `czxid` that transaction
    // must have created it, so a later node of that name and session is kept.
    void discardOwned(const Path &path, Zxid czxid = 0, CleanupEnd end = nullptr);
    // Runs a clean-up of the caller's: repeats `attempt` while it throws ConnectionLoss and the session lives. Any
    // other error, such as AccessDenied after a change of the ACL, ends it with a line in the log and is passed to
    // `end`. It is not retried, because only people can change an ACL. An ephemeral node then stays until the session
    // ends. No ACL prevents that.
    void retryInBackground(std::function<async::Task<void>()> attempt, CleanupEnd end = nullptr)
    {
        m_background.spawn(keepTrying(std::move(attempt), std::move(end)));
    }
    int pendingCleanups() const { return m_background.size(); }
    // Returns when no clean-up is pending. A clean-up may take several round trips, so await this before close().
    async::Task<void> cleanupsDone() { return m_background.drained(); }

Q_SIGNALS:
    void stateChanged(drover::zk::Client::State state);

protected:
    // Sends or queues the request, in call order. The promise is settled later, from the loop. If `watch` is not null,
    // it must be armed when the read succeeds (see WatchCell). The paths of both are the server's. What the promises
    // are given passes through seen(), which notes what an overloaded server has discarded.
    virtual async::Future<Response> submit(Request request, std::shared_ptr<WatchCell> watch) = 0;

    // Makes this znode the client's root. Call it before the first request.
    void setChroot(Path top) { m_chroot = Chroot(std::move(top)); }
    const Chroot &chroot() const { return m_chroot; }
    Response seen(Response response);
    WatchEvent seen(WatchEvent event) const { return {event.type, m_chroot.seen(event.path)}; }

    void setState(State state);
    void countWatchEvent() { ++m_counters.watchEvents; }

private:
    template <typename T>
    Reply<T> request(Request request, Watch *watch);
    template <typename T>
    Reply<T> requestOnServer(Request request);
    async::Future<Response> sendOnServer(Request request, Watch *watch);

    void noteDiscarded();
    async::Task<void> ensureOnServer(Path path);
    async::Task<void> keepTrying(std::function<async::Task<void>()> attempt, CleanupEnd end);
    async::Task<Code> existence(Path path);
    async::Task<void> removeOnce(Path path);
    async::Task<void> removeOwned(Path path, Zxid czxid);
    async::Task<void> removeCreatedAt(Path path, Zxid czxid);
    async::Task<void> removeMatching(Path directory, QByteArray prefix, QByteArray data);
    async::Task<void> removeHolding(Path path, QByteArray data);

    async::Loop &m_loop;
    State m_state = State::Connecting;
    Counters m_counters;
    AclOfPath m_aclOfNewNodes = [](const Path &) { return openAcl(); };
    async::Event m_stateChange; // also the end of a pause
    bool m_pauses = false; // a server has discarded a request
    async::Duration m_pause{}; // the latest
    async::TimePoint m_lastPause{}; // when it began
    async::Timer m_pauseEnd;
    async::TaskGroup m_background;
    Chroot m_chroot;
};

} // namespace drover::zk
