#pragma once

#include "async/loop.h"

#include <optional>

namespace drover::workers {

// How the clock of this machine stands to the clock of the ZooKeeper servers. A write tells: the server stamps it after
// it was sent and before its answer came. So a late answer makes the measure less exact, and never wrong.
class ServerClock
{
public:
    using Instant = std::chrono::milliseconds; // Unix epoch

    static constexpr std::chrono::seconds Tolerance{60};
    static constexpr std::chrono::seconds Interval{60}; // between two measures

    explicit ServerClock(async::Loop &loop) : m_loop(loop) { }

    // A write was sent and answered at these instants of the own clock, and stamped at that of the servers'.
    void measured(Instant sent, Instant answered, Instant stamped);

    // Not measured for an interval, or the own clock was set since.
    bool isDue() const;
    // Known to differ by no more than Tolerance.
    bool agrees() const;
    // By how much the own clock is ahead, as far as that is certain.
    std::chrono::milliseconds ahead() const;
    // The servers' time, as well as it is known: this machine's before the first measure.
    Instant now() const;

private:
    bool wasSet() const;

    async::Loop &m_loop;
    bool m_isMeasured = false;
    std::chrono::milliseconds m_least{}; // ahead of the servers'
    std::chrono::milliseconds m_most{};
    async::TimePoint m_at{}; // of the latest measure
    Instant m_wallClock{}; // then
};

} // namespace drover::workers
