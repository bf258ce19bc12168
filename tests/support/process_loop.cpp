#include "support/process_loop.h"

namespace drover::test {

using async::Duration;
using async::TimePoint;

struct ProcessLoop::Gate {
    bool alive = true;
    bool frozen = false;
    std::deque<std::function<void()>> held;

    void pass(std::function<void()> callback)
    {
        if (!alive)
            return;
        if (frozen)
            held.push_back(std::move(callback));
        else
            callback();
    }
};

// Owns the callback, so that a timer can be cancelled while it is held as well.
class ProcessLoop::Entry final : public async::Timer::Entry
{
public:
    Entry(std::shared_ptr<std::function<void()>> callback, async::Timer timer)
        : m_callback(std::move(callback)), m_timer(std::move(timer))
    {
    }

private:
    std::shared_ptr<std::function<void()>> m_callback;
    async::Timer m_timer;
};

ProcessLoop::ProcessLoop(VirtualLoop &world) : m_world(world), m_gate(std::make_shared<Gate>()) { }

ProcessLoop::~ProcessLoop()
{
    m_gate->alive = false;
    const auto dropped = std::move(m_gate->held);
}

async::Timer ProcessLoop::after(Duration delay, std::function<void()> callback)
{
    auto owned = std::make_shared<std::function<void()>>(std::move(callback));
    const auto fire = [weak = std::weak_ptr(owned)] {
        const auto still = weak.lock();
        if (!still)
            return;
        if (const auto call = std::exchange(*still, nullptr))
            call();
    };
    async::Timer timer = m_world.after(delay, [gate = m_gate, fire] { gate->pass(fire); });
    return async::Timer(std::make_unique<Entry>(std::move(owned), std::move(timer)));
}

void ProcessLoop::post(std::function<void()> callback)
{
    m_world.post([gate = m_gate, call = std::move(callback)]() mutable { gate->pass(std::move(call)); });
}

void ProcessLoop::offload(std::function<void()> work, std::function<void()> done)
{
    const auto run = [&world = m_world, gate = m_gate, work = std::move(work), done = std::move(done)] {
        work();
        world.post([gate, done] { gate->pass(done); });
    };
    if (m_pool)
        m_pool(run);
    else
        run();
}

void ProcessLoop::at(TimePoint time, std::function<void()> callback)
{
    m_world.at(time, [gate = m_gate, call = std::move(callback)]() mutable { gate->pass(std::move(call)); });
}

bool ProcessLoop::frozen() const
{
    return m_gate->frozen;
}

void ProcessLoop::freeze()
{
    if (std::exchange(m_gate->frozen, true))
        return;
    Q_EMIT froze();
}

void ProcessLoop::thaw()
{
    if (!std::exchange(m_gate->frozen, false))
        return;
    m_wakeUp.cancel();
    for (std::function<void()> &callback : std::exchange(m_gate->held, {}))
        post(std::move(callback));
    Q_EMIT thawed();
}

void ProcessLoop::freezeFor(Duration duration)
{
    freeze();
    m_wakeUp = m_world.after(duration, [this] { thaw(); });
}

} // namespace drover::test
