#include "support/virtual_loop.h"

#include <algorithm>
#include <stdexcept>

namespace drover::test {

using async::Duration;
using async::TimePoint;

class VirtualLoop::Entry final : public async::Timer::Entry
{
public:
    explicit Entry(std::shared_ptr<Cell> cell) : m_cell(std::move(cell)) { }
    ~Entry() override { m_cell->callback = nullptr; }

private:
    std::shared_ptr<Cell> m_cell;
};

VirtualLoop::~VirtualLoop()
{
    // What the callbacks hold may cancel timers of this loop while it is destroyed.
    const std::deque<Posted> posts = std::move(m_posts);
    const std::vector<Due> timers = std::move(m_timers);
    for (const Due &due : timers)
        const std::function<void()> dropped = std::move(due.cell->callback);
}

async::Timer VirtualLoop::after(Duration delay, std::function<void()> callback)
{
    auto cell = std::make_shared<Cell>(Cell{std::move(callback)});
    schedule(m_now + std::max(delay, Duration::zero()), cell);
    return async::Timer(std::make_unique<Entry>(std::move(cell)));
}

QUuid VirtualLoop::makeUuid()
{
    const quint64 words[] = {m_random.next(), m_random.next()};
    return QUuid::fromRfc4122(QByteArrayView(reinterpret_cast<const char *>(words), sizeof words));
}

std::chrono::milliseconds VirtualLoop::wallClock() const
{
    return m_wallClockAhead + std::chrono::duration_cast<std::chrono::milliseconds>(m_now.time_since_epoch());
}

void VirtualLoop::setWallClock(std::chrono::milliseconds sinceEpoch)
{
    m_wallClockAhead += sinceEpoch - wallClock();
}

void VirtualLoop::post(std::function<void()> callback)
{
    m_posts.push_back(Posted{m_order++, std::move(callback)});
}

void VirtualLoop::offload(std::function<void()> work, std::function<void()> done)
{
    work();
    post(std::move(done));
}

void VirtualLoop::at(TimePoint time, std::function<void()> callback)
{
    if (time <= m_now)
        post(std::move(callback));
    else
        schedule(time, std::make_shared<Cell>(Cell{std::move(callback)}));
}

void VirtualLoop::schedule(TimePoint time, std::shared_ptr<Cell> cell)
{
    m_timers.push_back(Due{time, m_order++, std::move(cell)});
    std::push_heap(m_timers.begin(), m_timers.end());
}

VirtualLoop::Due VirtualLoop::takeTimer()
{
    std::pop_heap(m_timers.begin(), m_timers.end());
    Due due = std::move(m_timers.back());
    m_timers.pop_back();
    return due;
}

void VirtualLoop::dropCancelled()
{
    while (!m_timers.empty() && !m_timers.front().cell->callback)
        takeTimer();
}

bool VirtualLoop::step(TimePoint deadline)
{
    dropCancelled();
    const bool timerDue = !m_timers.empty() && m_timers.front().time <= m_now;
    if (!m_posts.empty() && !(timerDue && m_timers.front().order < m_posts.front().order)) {
        const Posted posted = std::move(m_posts.front());
        m_posts.pop_front();
        call(posted.callback);
        return true;
    }
    if (m_timers.empty() || m_timers.front().time > deadline)
        return false;
    const Due due = takeTimer();
    if (due.time > m_now) {
        m_now = due.time;
        m_stepsSinceTimeMoved = 0;
    }
    call(std::exchange(due.cell->callback, nullptr));
    return true;
}

void VirtualLoop::call(const std::function<void()> &callback)
{
    constexpr int Livelock = 1'000'000;
    if (++m_stepsSinceTimeMoved > Livelock)
        throw std::runtime_error("livelock: a million callbacks and time has not moved");
    ++m_steps;
    callback();
}

bool VirtualLoop::runUntil(const std::function<bool()> &predicate, Duration limit)
{
    const TimePoint deadline = m_now + limit;
    while (!predicate()) {
        if (!step(deadline))
            return false;
    }
    return true;
}

void VirtualLoop::runFor(Duration duration)
{
    const TimePoint deadline = m_now + duration;
    while (step(deadline)) { }
    m_now = deadline;
    m_stepsSinceTimeMoved = 0;
}

bool VirtualLoop::runUntilIdle(Duration limit)
{
    const TimePoint deadline = m_now + limit;
    while (step(deadline)) { }
    dropCancelled();
    return m_timers.empty();
}

} // namespace drover::test
