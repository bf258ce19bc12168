#pragma once

#include "async/loop.h"
#include "async/task_group.h"
#include "zk/answer.h"
#include "zk/watch.h"

#include <QObject>

namespace drover::zk {

// One ZooKeeper session, from its first connection to its end. Recipes and the scheduler know ZooKeeper only through
// this class; Session is the real thing, tests/support has an in-memory twin, whose server injects faults.
//
// Lives on one thread, that of its loop(), and nothing may block that thread. When it is Lost it stays lost: make a new
// one. Operations still under way when the session ends fail with SessionLost, those under way when the connection
// breaks with ConnectionLoss: then nobody knows whether they were carried out.
//
// What is promised (zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html, "Consistency Guarantees" and "ZooKeeper
// Watches"): requests of one session are carried out in the order of the calls; a watch fires before any reply that
// shows the change which fired it; replies and events are delivered one at a time, from the loop, never from within a
// call to this class.
class Coordinator : public QObject
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

    struct Counters {
        quint64 requests = 0;
        quint64 watchEvents = 0;
    };

    explicit Coordinator(async::Loop &loop);
    ~Coordinator() override;

    async::Loop &loop() const { return m_loop; }
    State state() const { return m_state; }
    const Counters &counters() const { return m_counters; }

    // 0 before the first connection.
    virtual SessionId sessionId() const = 0;
    // As negotiated with the server; as asked for before that.
    virtual std::chrono::milliseconds sessionTimeout() const = 0;
    // The session cannot have expired before this instant: one session time-out after the leader of the ensemble is known
    // to have heard of it. Only what passed through the leader shows that, no read. While all is well the instant is some
    // six tenths of a time-out ahead, and half of one after a reconnection. Past it another session may own what this one
    // held. zk/keep_alive.h says what this rests on.
    virtual async::TimePoint aliveUntil() const = 0;

    // Return when it is so; connected() throws SessionLost if the session ends first.
    async::Task<void> connected();
    async::Task<void> interrupted(); // not connected: in any other state
    async::Task<void> lost();

    // Reads, each with an optional one-shot watch that is armed by the same request.
    Reply<Stat> exists(const Path &path);
    Reply<Stat> exists(const Path &path, Watch &watch);
    Reply<Node> get(const Path &path);
    Reply<Node> get(const Path &path, Watch &watch);
    Reply<Children> children(const Path &path);
    Reply<Children> children(const Path &path, Watch &watch);
    Reply<AclOfNode> acl(const Path &path);

    // Makes the server that this session talks to catch up with the leader before the reads that follow.
    Reply<Nothing> sync(const Path &path);

    Reply<Created> create(const Path &path, const QByteArray &data, CreateMode mode = CreateMode::Persistent,
                          const AclList &acl = openAcl());
    Reply<Created> createWithTtl(const Path &path, const QByteArray &data, std::chrono::milliseconds ttl,
                                 CreateMode mode = CreateMode::Ttl, const AclList &acl = openAcl());
    Reply<Nothing> remove(const Path &path, qint32 version = AnyVersion);
    Reply<Stat> set(const Path &path, const QByteArray &data, qint32 version = AnyVersion);
    Reply<Nothing> setAcl(const Path &path, const AclList &acl, qint32 aversion = AnyVersion);
    Reply<Committed> commit(const Transaction &transaction);

    // Adds credentials to the session, e.g. "digest", "user:password". They are sent again on each reconnection.
    Reply<Nothing> addAuth(const QByteArray &scheme, const QByteArray &credentials);

    // The ensemble's dynamic configuration (/zookeeper/config): one "server.N=..." line for each member.
    Reply<Node> configuration();

    // Any operation. Throws RequestTooLarge, before anything is sent.
    async::Future<Response> send(Request request, Watch *watch);

    // Creates `path` and the parents it lacks, as persistent empty nodes; existing ones are left alone. Waits
    // out lost connections; throws SessionLost.
    async::Task<void> ensurePath(Path path);

    // An obligation to delete that outlives its caller: retried over connection losses until the node is gone or the
    // session has ended (which deletes an ephemeral node as well). Returns at once; nothing is awaited.
    void discard(const Path &path);
    // The same for a node whose name others may take as soon as it is free: once a delete has had no answer, only the
    // node that was created at `czxid` is deleted.
    void discard(const Path &path, Zxid czxid);
    // The same for a node whose create may or may not have succeeded: deletes every child of `directory` whose name
    // begins with `prefix`. If that is not unique to the create, `data` has to be: only a node of this session with
    // that in it is deleted.
    void discardMatching(const Path &directory, const QByteArray &prefix, const QByteArray &data = {});
    // The same for an ephemeral node of a fixed name: deletes it only if this session made it and, when `czxid` is
    // given, by that transaction: a later node of the same name and session is left alone.
    void discardOwned(const Path &path, Zxid czxid = 0);
    // An obligation of the caller's own: `attempt` is repeated while it throws ConnectionLoss and there is a session.
    void oblige(std::function<async::Task<void>()> attempt) { m_background.spawn(keepTrying(std::move(attempt))); }
    int obligations() const { return m_background.size(); }
    // Returns when there are none. What a task gave up may take more than one round trip, so this comes before close().
    async::Task<void> obligationsMet() { return m_background.drained(); }

Q_SIGNALS:
    void stateChanged(drover::zk::Coordinator::State state);

protected:
    // Sends or queues the request, in call order; settles the promise from the loop, later. `watch` is null or has to
    // be armed (see WatchCell) when the read succeeds.
    virtual async::Future<Response> submit(Request request, std::shared_ptr<WatchCell> watch) = 0;

    void setState(State state);
    void countWatchEvent() { ++m_counters.watchEvents; }

private:
    template <typename T>
    Reply<T> request(Request request, Watch *watch);

    async::Task<void> keepTrying(std::function<async::Task<void>()> attempt);
    async::Task<void> removeOnce(Path path);
    async::Task<void> removeOwned(Path path, Zxid czxid);
    async::Task<void> removeCreatedAt(Path path, Zxid czxid);
    async::Task<void> removeMatching(Path directory, QByteArray prefix, QByteArray data);
    async::Task<void> removeHolding(Path path, QByteArray data);

    async::Loop &m_loop;
    State m_state = State::Connecting;
    Counters m_counters;
    async::Event m_stateChange;
    async::TaskGroup m_background;
};

} // namespace drover::zk
