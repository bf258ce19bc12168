#include "zk/server_clock.h"

#include <algorithm>

namespace drover::zk {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr auto Slack = 1s; // between the time of day and the monotonic clock

} // namespace

void ServerClock::measured(Instant sent, Instant answered, Instant stamped)
{
    m_isMeasured = true;
    m_least = std::min(sent, answered) - stamped;
    m_most = std::max(sent, answered) - stamped;
    m_at = m_loop.now();
    m_wallClock = answered;
}

bool ServerClock::isDue() const
{
    return !m_isMeasured || m_loop.now() - m_at >= Interval || wasSet();
}

bool ServerClock::agrees() const
{
    const bool isKnown = m_isMeasured && !wasSet() && m_loop.now() - m_at < 3 * Interval;
    return isKnown && std::chrono::abs(ahead()) <= Tolerance;
}

milliseconds ServerClock::ahead() const
{
    return m_least > 0ms ? m_least : m_most < 0ms ? m_most : 0ms;
}

ServerClock::Instant ServerClock::now() const
{
    if (!m_isMeasured)
        return m_loop.wallClock();
    const Instant then = m_wallClock - (m_least + m_most) / 2;
    return then + std::chrono::duration_cast<milliseconds>(m_loop.now() - m_at);
}

ServerClock::Instant ServerClock::atLeast() const
{
    if (!m_isMeasured)
        return m_loop.wallClock();
    return m_wallClock - m_most + std::chrono::duration_cast<milliseconds>(m_loop.now() - m_at);
}

bool ServerClock::wasSet() const
{
    const milliseconds byTheDay = m_loop.wallClock() - m_wallClock;
    const auto passed = std::chrono::duration_cast<milliseconds>(m_loop.now() - m_at);
    return std::chrono::abs(byTheDay - passed) > Slack;
}

} // namespace drover::zk
