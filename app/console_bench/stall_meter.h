#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include <chrono>

namespace drover::app {

// The longest time in which the event loop of this thread was busy with one thing. A timer that fires each millisecond
// was late by so much.
class StallMeter
{
public:
    StallMeter();

    void restart();
    std::chrono::microseconds longest() const { return m_longest; }

private:
    void tick();

    QTimer m_timer;
    QElapsedTimer m_sinceTick;
    std::chrono::microseconds m_longest{0};
};

} // namespace drover::app
