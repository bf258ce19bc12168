#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include <chrono>

namespace drover::app {

// The longest time in which the event loop of this thread was busy with one thing. A timer that fires each millisecond
// was late by so much. On a busy machine the thread also waits for a processor: what it has used of one itself says
// more.
class StallMeter
{
public:
    StallMeter();

    void restart();
    std::chrono::microseconds longest() const { return m_longest; }
    // The most processor time of this thread in one such time.
    std::chrono::microseconds busiest() const { return m_busiest; }

private:
    void tick();

    QTimer m_timer;
    QElapsedTimer m_sinceTick;
    std::chrono::microseconds m_longest{0};
    std::chrono::microseconds m_processor{0}; // that the thread had used at the last tick
    std::chrono::microseconds m_busiest{0};
};

} // namespace drover::app
