#include "gui/fixed_clock.h"

#include <atomic>
#include <ctime>

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// The dynamic linker takes these before those of the C library, also for Qt's libraries.

namespace {

std::atomic<qint64> now{drover::test::FixedNow};

} // namespace

void drover::test::setClock(qint64 at)
{
    now = at;
}

extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time) noexcept
{
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return int(syscall(SYS_clock_gettime, clock, time));
    *time = {.tv_sec = now / 1000, .tv_nsec = now % 1000 * 1'000'000};
    return 0;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *time, void *) noexcept
{
    *time = {.tv_sec = now / 1000, .tv_usec = now % 1000 * 1000};
    return 0;
}

__attribute__((visibility("default"))) int timespec_get(struct timespec *time, int base) noexcept
{
    return clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

__attribute__((visibility("default"))) time_t time(time_t *time) noexcept
{
    if (time)
        *time = now / 1000;
    return now / 1000;
}
}
