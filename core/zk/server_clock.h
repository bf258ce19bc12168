#pragma once

#include "async/loop.h"

namespace drover::zk {

// Measures this machine's clock against the clock of the ZooKeeper servers, by writes. The server stamps a write after
// it was sent and before its answer arrived. So a late answer makes the measurement less exact, but never wrong.
class ServerClock
{
public:
    using Instant = std::chrono::milliseconds; // Unix epoch

    static constexpr std::chrono::seconds Tolerance{60};
    static constexpr std::chrono::seconds Interval{60}; // between two measurements

    explicit ServerClock(async::Loop &loop) : m_loop(loop) { }

    // Takes a measurement: a write was sent and answered at these instants of the own clock, and stamped by the
    // servers' clock.
    void measured(Instant sent, Instant answered, Instant stamped);

    bool isMeasured() const { return m_isMeasured; } // ever
    // True if the last measurement is older than Interval, or the own clock was set since.
    bool isDue() const;
    // True if the clocks are known to differ by at most Tolerance.
    bool agrees() const;
    // The time by which the own clock is certainly ahead of the servers'; negative: behind.
    std::chrono::milliseconds ahead() const;
    // The best estimate of the servers' time, whatever has become of the own clock since it was measured. This
    // machine's time before the first measurement.
    Instant now() const;
    // As now(), but the servers' clock is certainly not behind it: for what must not come early.
    Instant atLeast() const;

private:
    bool wasSet() const;

    async::Loop &m_loop;
    bool m_isMeasured = false;
    std::chrono::milliseconds m_least{}; // least time ahead of the servers
    std::chrono::milliseconds m_most{};
    async::TimePoint m_at{}; // the latest measurement
    Instant m_wallClock{}; // the own clock at m_at
};

} // namespace drover::zk
