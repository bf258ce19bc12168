#pragma once

#include "support/fake/fake_zookeeper.h"
#include "zk/client.h"

namespace drover::test {

// A session with a FakeZooKeeper, the twin of zk::Session. Made by FakeZooKeeper::connect(); connects by itself, and
// again after each break. Operations called while it is suspended wait for the connection. Heartbeats are implied:
// while connected and not frozen the leader hears of it all the time, unless the server is cut from it. A process that
// wakes up past aliveUntil() learns first of all that its session is lost. What arrived while it stood still is
// withheld, and its requests are not sent.
class FakeSession final : public zk::Client
{
    Q_OBJECT

public:
    FakeSession(FakeZooKeeper &server, ProcessLoop &loop, const FakeSessionOptions &options);
    // Closes the session when connected: the server carries out what was sent, then deletes the ephemeral nodes.
    // Resumes everybody who waits for it, so the tasks of a process that has died have to go first.
    ~FakeSession() override;

    zk::SessionId sessionId() const override { return m_id; }
    std::chrono::milliseconds sessionTimeout() const override { return m_options.sessionTimeout; }
    async::TimePoint aliveUntil() const override;

    // Returns when the server has closed the session, or at once if there is no connection.
    async::Task<void> close() override;

    // Test controls. A connection that is broken loses all that is on the way, requests and replies.
    void disconnect(); // until reconnect()
    void disconnectFor(async::Duration duration);
    void reconnect();
    // The network swallows everything: noticed only after two thirds of the session time-out. Until reconnect().
    void partition();
    // The process dies: nothing is closed, nothing more is delivered. The server finds out by the time-out.
    void crash();

protected:
    async::Future<zk::Response> submit(zk::Request request, std::shared_ptr<zk::WatchCell> watch) override;

private:
    friend class FakeZooKeeper;

    // What arrives from the server.
    void welcome(const FakeZooKeeper::Welcome &answer);
    void receive(const FakeCallPtr &call, zk::Zxid zxid);
    void watchFired(const zk::WatchEvent &event);
    void connectionLost();
    void unheard();

    void scheduleConnect();
    void connectNow();
    void transmit(const FakeCallPtr &call);
    void failSend(const FakeCallPtr &call);
    void arm(const std::shared_ptr<zk::WatchCell> &watch, bool nodeExists, ClientWatches::Place place);
    void abandon(const zk::WatchCell &watch);
    void disarmOnServer(const zk::WatchCell &watch);
    void breakConnection(async::Duration noticedAfter);
    void stopBeating();
    void froze();
    void thawed();
    async::TimePoint sayGoodbye();
    bool isOverdue() const;
    bool loseIfOverdue();
    void becomeLost(zk::Code code = zk::Code::SessionExpired);
    void fail(const std::deque<FakeCallPtr> &calls, zk::Code code);
    void deliver(std::function<void()> callback);

    FakeZooKeeper &m_server;
    ProcessLoop &m_process;
    const FakeSessionOptions m_options;
    zk::SessionId m_id = 0;
    zk::Zxid m_seen = 0; // of the last reply
    std::shared_ptr<FakeConnection> m_connection; // null once known to be broken
    bool m_established = false; // the server has welcomed us on it
    bool m_beating = false;
    bool m_destroyed = false;
    async::TimePoint m_lastHeard; // while not beating: when the last answered heartbeat was sent
    async::TimePoint m_frozeAt;
    FaultInjector::Decision m_pause; // that stopped the process, if a fault of ours did
    async::TimePoint m_unreachableUntil;
    std::deque<FakeCallPtr> m_lost; // with a connection whose end is still to be reported
    std::deque<FakeCallPtr> m_outstanding; // sent and not answered, or, when not established, waiting to be sent
    ClientWatches m_watches;
    async::Timer m_notice;
    async::Timer m_retry;
    async::Timer m_expiry; // our own clock, while suspended
};

} // namespace drover::test
