#pragma once

#include <QByteArray>

#include <chrono>
#include <deque>
#include <optional>

namespace drover::net {

// One direction of a relayed connection: takes bytes from one socket, stamps them with the time they are due and gives
// them to another. Bytes leave in the order in which they came, whatever happens to the delay meanwhile; the end of the
// stream is delayed like a byte. Owns neither socket; both are non-blocking.
class DelayedStream
{
public:
    using Clock = std::chrono::steady_clock;

    DelayedStream(int from, int to) : m_from(from), m_to(to) { }

    // A silent stream neither takes nor gives; what it holds waits.
    void setSilent(bool silent) { m_silent = silent; }

    bool wantsToReceive() const;
    bool wantsToSend() const { return !m_silent && m_blocked; } // once the socket has room
    std::optional<Clock::time_point> nextDue() const; // none if silent, empty or out of room

    // Both return false when the connection is broken.
    bool receive(Clock::duration delay);
    bool send(Clock::time_point now);

    void hasRoom() { m_blocked = false; }
    bool finished() const { return m_finished; } // the end of the stream has been passed on
    qint64 bytes() const { return m_sent; }

private:
    struct Chunk {
        Clock::time_point due;
        QByteArray bytes; // empty: the end of the stream
    };

    int m_from;
    int m_to;
    std::deque<Chunk> m_chunks;
    qint64 m_queued = 0;
    qint64 m_sent = 0;
    qsizetype m_offset = 0; // sent of the first chunk
    bool m_silent = false;
    bool m_blocked = false;
    bool m_ended = false;
    bool m_finished = false;
};

} // namespace drover::net
