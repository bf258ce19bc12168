#pragma once

#include "app/bench/figures/distribution.h"
#include "app/bench/figures/figures.h"
#include "zk/types.h"

namespace drover::app {

// Records which participant was granted a lock, when, and after what wait. Checks the order of the fencing tokens.
class GrantLog
{
public:
    struct Grant {
        qint64 token = 0;
        // A writer's token must exceed all earlier ones, a reader's only the last writer's.
        bool exclusive = true;
        async::Duration waited{};
    };

    // Throws std::logic_error if an earlier holder had a higher token.
    void granted(const Grant &grant, async::TimePoint now);

    void released(async::TimePoint now);

    // Begin and end the measurement. It begins at the last grant.
    void begin();
    void end() { m_measuring = false; }

    std::size_t size() const { return m_intervals.size(); }
    async::Duration elapsed() const { return m_last - m_begin; }

    // Adds cycles, rate, the time between grants, the time from a release to the next grant, and fairness. Fairness is
    // the longest wait divided by the median wait.
    void addTo(Figures &figures, const QString &unit) const;

private:
    qint64 m_lastToken = 0;
    qint64 m_lastExclusive = 0;
    async::TimePoint m_last{};
    async::TimePoint m_begin{};
    bool m_measuring = false;
    int m_holders = 0;
    async::TimePoint m_freed{}; // the last release
    Distribution m_intervals;
    Distribution m_handOffs;
    Distribution m_waits;
};

} // namespace drover::app
