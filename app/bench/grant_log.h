#pragma once

#include "app/bench/distribution.h"
#include "app/bench/figures.h"
#include "zk/types.h"

namespace drover::app {

// Who was granted a lock when, and how long they had waited. Judges the order of the fencing tokens as it goes.
class GrantLog
{
public:
    struct Grant {
        qint64 token = 0;
        bool exclusive = true; // a reader's is greater than the last writer's only, a writer's than everybody's
        async::Duration waited{};
    };

    // Throws std::logic_error if an earlier holder had a higher token.
    void granted(const Grant &grant, async::TimePoint now);

    void released(async::TimePoint now);

    // From here on, measured from the last grant; and up to there.
    void begin();
    void end() { m_measuring = false; }

    std::size_t size() const { return m_intervals.size(); }
    async::Duration elapsed() const { return m_last - m_begin; }

    // Cycles, rate, time from one grant to the next and from a release to the next grant, and fairness: the longest
    // wait in median waits.
    void addTo(Figures &figures, const QString &unit) const;

private:
    qint64 m_lastToken = 0;
    qint64 m_lastExclusive = 0;
    async::TimePoint m_last{};
    async::TimePoint m_begin{};
    bool m_measuring = false;
    int m_holders = 0;
    async::TimePoint m_freed{}; // by the last holder
    Distribution m_intervals;
    Distribution m_handOffs;
    Distribution m_waits;
};

} // namespace drover::app
