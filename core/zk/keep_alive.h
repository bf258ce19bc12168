#pragma once

#include "async/boot_clock.h"

#include <deque>

namespace drover::zk {

// When a session sends its next keep-alive, and since when the ensemble's leader is known to have heard of it. Pure
// bookkeeping in O(1), whatever else the session sends.
//
// The leader alone decides that a session has expired: one time-out after it has last heard of it. Of a session whose
// client is connected to a follower it hears in one way: it pings the follower every half tick, and the reply names the
// sessions from which the follower has received anything since the reply before it (Learner.ping). A read is answered
// from the follower's memory, also when its leader is out of reach. A sync or a write does pass through the leader, but
// does not count as hearing of the session. So a keep-alive is a sync, and three of them prove one:
//
//   X is answered: by then the follower has received it.
//   Y is sent ReportTime later or more, and answered: the leader has pinged the follower in between, and the follower has
//     replied, with X, before it passed on the leader's answer to Y, which came behind the ping.
//   Z is sent then, and answered: the leader has read that reply, behind which Z came.
//
// The leader has heard of the session after X was sent. Both streams between follower and leader keep their order, so
// this holds for any delay and any cut, one way or both. Every keep-alive is an X, a Y and a Z to others.
//
// What has to be true of the ensemble: ReportTime, 28 % of the time-out, is more than half a tick. ZooKeeper's default
// minimum for time-outs, two ticks, makes it 56 % of a tick at least. A leader that has been deposed and does not know
// yet answers as well, for a tick less an election at most after a network has been cut in two, and the new leader gives
// every session its whole time-out again: ReportTime covers that for time-outs of four ticks or more.
//
// A connection begins with a handshake. For a new session that is a write, for a session that is resumed a question to
// the leader, which counts at once as hearing of it. The latter proves the session a fifth of the time-out earlier only:
// the leader may be deposed.
class KeepAlive
{
public:
    enum class Handshake { Created, Resumed };

    // The connection is up: the server has answered, at `now`, the handshake that was sent at `sent`.
    void connected(Handshake handshake, async::TimePoint sent, async::TimePoint now, async::Duration timeout);
    // Keep-alives without an answer will get none.
    void disconnected();

    // A keep-alive is sent. Answers come in the order of sending.
    void sent(async::TimePoint now);
    void answered(async::TimePoint now, bool carriedOut);

    // The leader heard of the session at this instant or later. 0 before the first connection.
    async::TimePoint provenAt() const { return m_proof; }
    // When to send the next one, while connected.
    async::TimePoint dueAt() const;
    // When an answer is so late that another server should be tried; never if none is under way.
    async::TimePoint patientUntil() const;

private:
    // Of a keep-alive that is under way: what its answer will show.
    struct UnderWay {
        async::TimePoint sent;
        async::TimePoint reported; // the follower has reported what was sent until then
        async::TimePoint proof; // and the leader has read of what was sent until then
    };
    struct Received {
        async::TimePoint sent;
        async::TimePoint answered;
    };

    async::Duration period() const { return m_timeout / 10; }
    async::Duration reportTime() const { return m_timeout * 28 / 100; }
    async::TimePoint reportedBy(async::TimePoint now);

    async::Duration m_timeout{};
    std::deque<UnderWay> m_underWay;
    std::deque<Received> m_received; // by this server: the last of those that are reported, and all after it
    async::TimePoint m_reported{};
    async::TimePoint m_proof{};
    async::TimePoint m_lastSent{};
};

} // namespace drover::zk
