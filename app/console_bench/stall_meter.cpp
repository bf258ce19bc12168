#include "app/console_bench/stall_meter.h"

#include <algorithm>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto Interval = 1ms;

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
    m_longest = 0us;
    m_sinceTick.start();
}

void StallMeter::tick()
{
    const std::chrono::microseconds late =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::nanoseconds(m_sinceTick.nsecsElapsed()))
        - Interval;
    m_longest = std::max(m_longest, late);
    m_sinceTick.start();
}

} // namespace drover::app
