#include "app/bench/figures/grant_log.h"

#include <stdexcept>

namespace drover::app {

void GrantLog::granted(const Grant &grant, async::TimePoint now)
{
    if (grant.token <= (grant.exclusive ? m_lastToken : m_lastExclusive))
        throw std::logic_error("two holders of the lock overlapped: a later one has a lower fencing token");
    m_lastToken = std::max(m_lastToken, grant.token);
    if (grant.exclusive)
        m_lastExclusive = grant.token;
    if (m_measuring) {
        m_intervals.add(now - m_last);
        if (m_holders == 0)
            m_handOffs.add(now - m_freed);
    }
    if (m_begin != async::TimePoint{}) // also of those who have their turn only when the measurement is over
        m_waits.add(grant.waited);
    ++m_holders;
    if (m_measuring || m_begin == async::TimePoint{})
        m_last = now;
}

void GrantLog::released(async::TimePoint now)
{
    if (--m_holders == 0)
        m_freed = now;
}

void GrantLog::begin()
{
    m_measuring = true;
    m_begin = m_last;
}

void GrantLog::addTo(Figures &figures, const QString &unit) const
{
    using Seconds = std::chrono::duration<double>;
    figures.add("cycles", static_cast<qint64>(size()), "acquired and released");
    const double seconds = Seconds(elapsed()).count();
    figures.add("per_s", seconds > 0 ? static_cast<double>(size()) / seconds : 0, unit + QStringLiteral("s a second"));
    figures.addTimes("", m_intervals, QStringLiteral("a ") + unit);
    figures.addMilliseconds("handoff_ms", m_handOffs.median(), "from a release to the next grant, median");
    figures.addMilliseconds("handoff_p99_ms", m_handOffs.quantile(0.99), "the same, 99 of 100");
    const double median = Seconds(m_waits.median()).count();
    figures.add("fairness", median > 0 ? Seconds(m_waits.quantile(1)).count() / median : 0,
                "the longest wait, in median waits");
}

} // namespace drover::app
