#include "app/bench/relay/delayed_stream.h"

#include <array>
#include <cerrno>

#include <sys/socket.h>

namespace drover::app {

namespace {

constexpr qint64 queueLimit = 256 << 20; // far above what a delay needs; only a receiver that stopped reads gets here

bool isTransient(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

} // namespace

bool DelayedStream::wantsToReceive() const
{
    return !m_silent && !m_ended && m_queued < queueLimit;
}

std::optional<DelayedStream::Clock::time_point> DelayedStream::nextDue() const
{
    if (m_silent || m_blocked || m_chunks.empty())
        return std::nullopt;
    return m_chunks.front().due;
}

bool DelayedStream::receive(Clock::duration delay)
{
    static thread_local std::array<char, 1 << 16> buffer;
    const ssize_t size = recv(m_from, buffer.data(), buffer.size(), 0);
    if (size < 0)
        return isTransient(errno);
    // Stamped after the read, so that no byte is early.
    m_chunks.push_back({Clock::now() + delay, QByteArray(buffer.data(), size)});
    m_queued += size;
    m_ended = size == 0;
    return true;
}

bool DelayedStream::send(Clock::time_point now)
{
    for (auto due = nextDue(); due && *due <= now; due = nextDue()) {
        const QByteArray &bytes = m_chunks.front().bytes;
        if (bytes.isEmpty()) {
            m_finished = true;
            m_chunks.pop_front();
            return shutdown(m_to, SHUT_WR) == 0;
        }
        const ssize_t size =
            ::send(m_to, bytes.data() + m_offset, static_cast<size_t>(bytes.size() - m_offset), MSG_NOSIGNAL);
        if (size < 0) {
            m_blocked = true;
            return isTransient(errno);
        }
        m_offset += size;
        m_sent += size;
        m_queued -= size;
        if (m_offset == bytes.size()) {
            m_offset = 0;
            m_chunks.pop_front();
        }
    }
    return true;
}

} // namespace drover::app
