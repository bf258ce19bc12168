#include "gui/fixed_clock.h"

#include <ctime>

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// The dynamic linker takes these before those of the C library, also for Qt's libraries.

using drover::test::FixedNow;

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time) noexcept
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return int(syscall(SYS_clock_gettime, clock, time));
    *time = {.tv_sec = FixedNow / 1000, .tv_nsec = FixedNow % 1000 * 1'000'000};
    return 0;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *time, void *) noexcept
{
    *time = {.tv_sec = FixedNow / 1000, .tv_usec = FixedNow % 1000 * 1000};
    return 0;
}

__attribute__((visibility("default"))) int timespec_get(struct timespec *time, int base) noexcept
{
    return clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

__attribute__((visibility("default"))) time_t time(time_t *time) noexcept
{
    if (time)
        *time = FixedNow / 1000;
    return FixedNow / 1000;
}
}
