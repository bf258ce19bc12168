#pragma once

#include <chrono>

namespace drover::async {

// Monotonic time that goes on while the machine sleeps (CLOCK_BOOTTIME). No other clock may decide that a session is
// still alive: a steady_clock stands still during suspend, and wall time jumps. Both would keep a dead session.
struct BootClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

using Duration = BootClock::duration;
using TimePoint = BootClock::time_point;

} // namespace drover::async
