#pragma once

#include "async/boot_clock.h"
#include "async/timer.h"

#include <QDateTime>
#include <QUuid>

#include <chrono>
#include <coroutine>
#include <functional>

namespace drover::async {

// The event loop of one thread, as coroutines need it. QtLoop drives the programs; tests drive the same code with
// virtual time. All members but post() belong to the loop's own thread.
class Loop
{
public:
    virtual ~Loop() = default;

    virtual TimePoint now() const = 0;

    // Calls `callback` once, not before `delay` has passed and never from within this call.
    virtual Timer after(Duration delay, std::function<void()> callback) = 0;

    // Calls `callback` from the loop, in the order of the posts. From any thread.
    virtual void post(std::function<void()> callback) = 0;

    // Runs `work` where it may block (files, SQL, DNS), then `done` from the loop.
    virtual void offload(std::function<void()> work, std::function<void()> done) = 0;

    // The time of day, since the Unix epoch: what people mean by "at 9" and what is shown to them. It jumps; to measure
    // or to wait there is now().
    virtual std::chrono::milliseconds wallClock() const
    {
        return std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    }

    // A name that nobody else has. It comes from here, like time, so that a run can be repeated.
    virtual QUuid makeUuid() { return QUuid::createUuid(); }
};

// co_await sleepFor(loop, 5s);  Destroying the sleeper cancels the sleep.
class SleepAwaiter
{
public:
    SleepAwaiter(Loop &loop, Duration delay) : m_loop(loop), m_delay(delay) { }

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> sleeper)
    {
        m_timer = m_loop.after(m_delay, [sleeper] { sleeper.resume(); });
    }
    void await_resume() const noexcept { }

private:
    Loop &m_loop;
    Duration m_delay;
    Timer m_timer;
};

inline SleepAwaiter sleepFor(Loop &loop, Duration delay)
{
    return SleepAwaiter(loop, delay);
}

} // namespace drover::async
