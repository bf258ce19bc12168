#include "zk/client/keep_alive.h"

#include <algorithm>

namespace drover::zk {

using async::TimePoint;

void KeepAlive::connected(Handshake handshake, TimePoint sent, TimePoint now, async::Duration timeout)
{
    disconnected();
    m_timeout = timeout;
    m_received = {{sent, now}};
    m_reported = {};
    m_wasDiscarded = false;
    m_lastSent = {}; // the first is due at once
    m_proof = std::max(m_proof, handshake == Handshake::Created ? sent : sent - timeout / 5);
}

void KeepAlive::disconnected()
{
    m_underWay.clear();
}

void KeepAlive::sent(TimePoint now)
{
    m_underWay.push_back({now, reportedBy(now), m_reported});
    m_lastSent = now;
}

void KeepAlive::answered(TimePoint now, bool carriedOut)
{
    if (m_underWay.empty())
        return;
    const UnderWay call = m_underWay.front();
    m_underWay.pop_front();
    if (!carriedOut) {
        m_wasDiscarded = true;
        return;
    }
    m_wasDiscarded = false;
    m_received.push_back({call.sent, now});
    m_reported = std::max(m_reported, call.reported);
    m_proof = std::max(m_proof, call.proof);
}

// At once if the answer will prove something new, which halves the time from a report to its proof. A server that has
// discarded one has too much to do, and is asked again after a period.
TimePoint KeepAlive::dueAt() const
{
    const TimePoint prospect = m_underWay.empty() ? m_proof : std::max(m_proof, m_underWay.back().proof);
    const bool provesMore = m_reported >= prospect + period() / 2;
    return provesMore && !m_wasDiscarded ? m_lastSent : m_lastSent + period();
}

TimePoint KeepAlive::patientUntil() const
{
    return m_underWay.empty() ? TimePoint::max() : m_underWay.front().sent + m_timeout / 3;
}

// The sending of the newest that was answered ReportTime before `now`.
TimePoint KeepAlive::reportedBy(TimePoint now)
{
    const TimePoint until = now - reportTime();
    while (m_received.size() > 1 && m_received[1].answered <= until)
        m_received.pop_front();
    const bool any = !m_received.empty() && m_received.front().answered <= until;
    return any ? m_received.front().sent : TimePoint{};
}

} // namespace drover::zk
