#pragma once

#include <QByteArray>

#include <chrono>
#include <deque>
#include <optional>

namespace drover::app {

// One direction of a relayed connection: reads bytes from one socket, stamps them with their due time, and writes them
// to another socket then. Bytes keep their order even if the delay changes meanwhile. The end of the stream is delayed
// like a byte. It owns neither socket; both are non-blocking.
class DelayedStream
{
public:
    using Clock = std::chrono::steady_clock;

    DelayedStream(int from, int to) : m_from(from), m_to(to) { }

    // A silent stream neither reads nor writes; it keeps the bytes that it holds.
    void setSilent(bool silent) { m_silent = silent; }

    bool wantsToReceive() const;
    bool wantsToSend() const { return !m_silent && m_blocked; } // once the socket has room
    // Nothing if the stream is silent or empty, or its socket is full.
    std::optional<Clock::time_point> nextDue() const;

    // Both return false when the connection is broken.
    bool receive(Clock::duration delay);
    bool send(Clock::time_point now);

    void hasRoom() { m_blocked = false; }
    bool finished() const { return m_finished; } // has passed on the stream's end
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
    qsizetype m_offset = 0; // bytes sent of the first chunk
    bool m_silent = false;
    bool m_blocked = false;
    bool m_ended = false;
    bool m_finished = false;
};

} // namespace drover::app
