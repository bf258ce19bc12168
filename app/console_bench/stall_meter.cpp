#include "app/console_bench/stall_meter.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto Interval = 1ms;

std::chrono::microseconds processorTimeOfThread()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::microseconds(time.tv_sec * 1'000'000 + time.tv_nsec / 1'000);
}

} // namespace

StallMeter::StallMeter()
{
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.callOnTimeout([this] { tick(); });
    m_timer.start(Interval);
    restart();
}

void StallMeter::restart()
{
    m_longest = m_busiest = 0us;
    m_processor = processorTimeOfThread();
    m_sinceTick.start();
}

void StallMeter::tick()
{
    const std::chrono::microseconds late =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::nanoseconds(m_sinceTick.nsecsElapsed()))
        - Interval;
    m_longest = std::max(m_longest, late);
    const std::chrono::microseconds used = processorTimeOfThread();
    m_busiest = std::max(m_busiest, used - std::exchange(m_processor, used));
    m_sinceTick.start();
}

} // namespace drover::app
