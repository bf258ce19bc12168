#pragma once

#include <chrono>
#include <cstdint>

#include <time.h>

namespace drover::posix {

// Nanoseconds of a clock that this kernel has; 0 of another one. Any thread.
inline std::int64_t clockNs(clockid_t clock)
{
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Nanoseconds since the machine started. The clock goes on while the machine sleeps, as a session's time-out does.
inline std::int64_t bootNs()
{
    return clockNs(CLOCK_BOOTTIME);
}

// The time since the Unix epoch. It jumps when the machine's clock is set.
inline std::chrono::milliseconds wallTime()
{
    return std::chrono::milliseconds(clockNs(CLOCK_REALTIME) / 1'000'000);
}

// `ns` must not be negative.
inline timespec toTimespec(std::int64_t ns)
{
    return {.tv_sec = time_t(ns / 1'000'000'000), .tv_nsec = long(ns % 1'000'000'000)};
}

} // namespace drover::posix
