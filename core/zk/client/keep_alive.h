#pragma once

#include "async/boot_clock.h"

#include <deque>

namespace drover::zk {

// Computes when a session sends its next keep-alive, and the instant at which the ensemble's leader has heard of the
// session. Pure bookkeeping in O(1); other requests of the session play no part.
//
// The leader alone decides that a session has expired: one time-out after it has last heard of the session. If the
// client is connected to a follower, the leader hears of the session in one way only. It pings the follower every half
// tick, and the reply names the sessions from which the follower has received anything since its previous reply
// (Learner.ping). A follower answers a read from its memory, even if its leader is out of reach. A sync or a write does
// pass through the leader, but does not count as hearing of the session. So a keep-alive is a sync, and three of them
// give a proof:
//
//   X is answered: by then the follower has received it.
//   Y is sent ReportTime later or more, and answered: the leader has pinged the follower in between, and the follower
//     has replied, with X, before it passed on the leader's answer to Y, which came behind the ping.
//   Z is sent then, and answered: the leader has read the follower's reply, because Z came behind it.
//
// So the leader has heard of the session after X was sent. Both streams between follower and leader keep their order,
// so this holds for any delay and any cut, one way or both. Every keep-alive serves as X, as Y and as Z of three
// different proofs.
//
// Condition on the ensemble: ReportTime, 28 % of the time-out, is more than half a tick. ZooKeeper's default minimum
// for time-outs, two ticks, makes it at least 56 % of a tick. A deposed leader may not know yet that it is deposed.
// After a network has been cut in two it still answers for at most a tick less an election. The new leader gives every
// session its whole time-out again. ReportTime covers both for time-outs of four ticks or more.
//
// A connection begins with a handshake. For a new session the handshake is a write. For a resumed session it is a
// question to the leader, which counts at once as hearing of the session. As the leader may be deposed, the proof is
// dated a fifth of the time-out earlier.
class KeepAlive
{
public:
    enum class Handshake { Created, Resumed };

    // The connection is up: at `now` the server has answered the handshake that was sent at `sent`.
    void connected(Handshake handshake, async::TimePoint sent, async::TimePoint now, async::Duration timeout);
    // The connection is gone: keep-alives without an answer will get none.
    void disconnected();

    // A keep-alive is sent. Answers come in the order of sending.
    void sent(async::TimePoint now);
    void answered(async::TimePoint now, bool carriedOut);

    // The leader heard of the session at this instant or later. 0 before the first connection.
    async::TimePoint provenAt() const { return m_proof; }
    // When to send the next one, while connected.
    async::TimePoint dueAt() const;
    // When an answer is so late that the session should try another server. TimePoint::max() if no answer is awaited.
    async::TimePoint patientUntil() const;

private:
    // A keep-alive without an answer yet, and what its answer will prove.
    struct UnderWay {
        async::TimePoint sent;
        async::TimePoint reported; // the follower has reported all sent until then
        async::TimePoint proof; // the leader has heard of all sent until then
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
    std::deque<Received> m_received; // from the last reported one on
    async::TimePoint m_reported{};
    async::TimePoint m_proof{};
    async::TimePoint m_lastSent{};
    bool m_wasDiscarded = false; // the last that was answered
};

} // namespace drover::zk
