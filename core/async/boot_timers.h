#pragma once

#include "async/boot_clock.h"
#include "async/timer.h"
#include "posix/file_descriptor.h"

#include <QSocketNotifier>

#include <functional>
#include <map>

namespace drover::async {

// The timers of a Qt event loop, by BootClock. Qt's own timers end at 24 days and stand still while the machine sleeps.
// One timerfd waits for the earliest timer, and fires at once if the machine wakes up after that time. One thread. Each
// Timer keeps the timerfd alive, so it may outlive the owner of this object.
class BootTimers : public std::enable_shared_from_this<BootTimers>
{
public:
    BootTimers(); // throws std::system_error
    ~BootTimers();
    BootTimers(const BootTimers &) = delete;
    BootTimers &operator=(const BootTimers &) = delete;

    // Implements Loop::after(), for any delay up to Duration::max().
    Timer after(Duration delay, std::function<void()> callback);

private:
    class Entry;

    void fire();
    void arm();

    const posix::FileDescriptor m_fd;
    QSocketNotifier *const m_notifier; // deleted later: it may call this destructor
    std::multimap<TimePoint, Entry *> m_waiting;
    TimePoint m_armedFor = TimePoint::max();
};

} // namespace drover::async
