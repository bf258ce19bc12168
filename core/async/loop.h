#pragma once

#include "async/boot_clock.h"
#include "async/timer.h"

#include <QDateTime>
#include <QUuid>

#include <chrono>
#include <coroutine>
#include <functional>

namespace drover::async {

// The event loop of one thread, as coroutines need it. QtLoop drives the programs; tests use a loop with virtual time.
// Only post() may be called from other threads.
class Loop
{
public:
    virtual ~Loop() = default;

    virtual TimePoint now() const = 0;

    // Calls `callback` once, after `delay` has passed, and never from within this call.
    virtual Timer after(Duration delay, std::function<void()> callback) = 0;

    // Calls `callback` from the loop, in the order of the posts. From any thread.
    virtual void post(std::function<void()> callback) = 0;

    // Runs `work` on a thread where it may block (files, SQL, DNS), then `done` from the loop. `work` must not throw.
    virtual void offload(std::function<void()> work, std::function<void()> done) = 0;

    // The time of day since the Unix epoch, for "at 9" and for display. It may jump, so use now() to measure and to
    // wait.
    virtual std::chrono::milliseconds wallClock() const
    {
        return std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    }

    // A unique name. A test's loop makes names that a second run repeats.
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
