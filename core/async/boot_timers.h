#pragma once

#include "async/boot_clock.h"
#include "async/timer.h"

#include <QSocketNotifier>

#include <functional>
#include <map>
#include <memory>

namespace drover::async {

// The timers of a Qt event loop, by BootClock. Qt's own know less: their range ends at 24 days, and they stand still
// while the machine sleeps. One timerfd waits for the earliest, and fires at once when the machine wakes up past it.
// One thread. Timers keep what they need alive, so they may outlive this object's owner.
class BootTimers : public std::enable_shared_from_this<BootTimers>
{
public:
    BootTimers(); // throws std::system_error
    ~BootTimers();
    BootTimers(const BootTimers &) = delete;
    BootTimers &operator=(const BootTimers &) = delete;

    // As Loop::after(). Any delay, up to Duration::max().
    Timer after(Duration delay, std::function<void()> callback);

private:
    class Entry;

    void fire();
    void arm();

    const int m_fd;
    QSocketNotifier *const m_notifier; // deleted later: it may be what calls us when we go
    std::multimap<TimePoint, Entry *> m_waiting;
    TimePoint m_armedFor = TimePoint::max();
};

} // namespace drover::async
