#include "async/boot_timers.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <sys/timerfd.h>
#include <unistd.h>

namespace drover::async {

namespace {

constexpr Duration Longest = std::chrono::hours(24 * 365 * 100); // so that no sum overflows

posix::FileDescriptor openTimer()
{
    posix::FileDescriptor fd(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!fd)
        throw std::system_error(errno, std::generic_category(), "timerfd_create");
    return fd;
}

} // namespace

class BootTimers::Entry final : public Timer::Entry
{
public:
    Entry(std::shared_ptr<BootTimers> timers, TimePoint due, std::function<void()> callback)
        : m_timers(std::move(timers)), m_callback(std::move(callback)), m_place(m_timers->m_waiting.emplace(due, this))
    {
    }
    ~Entry() override
    {
        if (m_callback)
            m_timers->m_waiting.erase(m_place);
    }
    Entry(const Entry &) = delete;
    Entry &operator=(const Entry &) = delete;

    std::function<void()> take()
    {
        m_timers->m_waiting.erase(m_place);
        return std::exchange(m_callback, nullptr);
    }

private:
    const std::shared_ptr<BootTimers> m_timers;
    std::function<void()> m_callback; // empty once it is taken
    const std::multimap<TimePoint, Entry *>::iterator m_place;
};

BootTimers::BootTimers() : m_fd(openTimer()), m_notifier(new QSocketNotifier(m_fd.get(), QSocketNotifier::Read))
{
    QObject::connect(m_notifier, &QSocketNotifier::activated, m_notifier, [this] { fire(); });
}

BootTimers::~BootTimers()
{
    m_notifier->setEnabled(false);
    m_notifier->deleteLater();
}

Timer BootTimers::after(Duration delay, std::function<void()> callback)
{
    const TimePoint due = BootClock::now() + std::clamp(delay, Duration::zero(), Longest);
    auto entry = std::make_unique<Entry>(shared_from_this(), due, std::move(callback));
    arm();
    return Timer(std::move(entry));
}

// A callback may do anything: run an event loop, make and end timers, also its own, and end this object's owner.
void BootTimers::fire()
{
    const auto alive = shared_from_this();
    uint64_t expirations = 0;
    [[maybe_unused]] const ssize_t size = ::read(m_fd.get(), &expirations, sizeof expirations);
    m_armedFor = TimePoint::max();
    const TimePoint now = BootClock::now();
    while (!m_waiting.empty() && m_waiting.begin()->first <= now) {
        const std::function<void()> call = m_waiting.begin()->second->take();
        arm();
        call();
    }
    arm();
}

// In terms of a delay, so that nothing is said of when the clock began.
void BootTimers::arm()
{
    if (m_waiting.empty() || m_armedFor <= m_waiting.begin()->first)
        return;
    m_armedFor = m_waiting.begin()->first;
    const Duration delay = std::max<Duration>(m_armedFor - BootClock::now(), std::chrono::nanoseconds(1));
    const auto seconds = std::chrono::floor<std::chrono::seconds>(delay);
    itimerspec spec{};
    spec.it_value = {static_cast<time_t>(seconds.count()), static_cast<long>((delay - seconds).count())};
    timerfd_settime(m_fd.get(), 0, &spec, nullptr);
}

} // namespace drover::async
