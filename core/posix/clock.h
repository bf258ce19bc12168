#pragma once

#include <chrono>
#include <cstdint>

#include <time.h>

namespace drover::posix {

inline std::int64_t clockNs(clockid_t clock)
{
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Goes on while the machine sleeps, as the time-out of a session does.
inline std::int64_t bootNs()
{
    return clockNs(CLOCK_BOOTTIME);
}

// Since the Unix epoch.
inline std::chrono::milliseconds wallTime()
{
    return std::chrono::milliseconds(clockNs(CLOCK_REALTIME) / 1'000'000);
}

inline timespec toTimespec(std::int64_t ns)
{
    return {.tv_sec = time_t(ns / 1'000'000'000), .tv_nsec = long(ns % 1'000'000'000)};
}

} // namespace drover::posix
