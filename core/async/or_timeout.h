#pragma once

#include "async/loop.h"
#include "async/task.h"

#include <stdexcept>

namespace drover::async {

class Timeout : public std::runtime_error
{
public:
    Timeout() : std::runtime_error("timed out") { }
};

namespace detail {

// Resumes its coroutine once: when the task ends or when the limit has passed, whichever comes first.
template <typename T>
class TimedAwaiter
{
public:
    TimedAwaiter(Loop &loop, Task<T> &task, Duration limit) : m_loop(loop), m_task(task), m_limit(limit) { }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter)
    {
        m_timer = m_loop.after(m_limit, [waiter] { waiter.resume(); });
        return m_task.start(waiter);
    }
    void await_resume() { m_timer.cancel(); }

private:
    Loop &m_loop;
    Task<T> &m_task;
    Duration m_limit;
    Timer m_timer;
};

} // namespace detail

// Returns the task's result. Once `limit` has passed it throws Timeout and destroys the task, which cancels it. If the
// task ends in the pass of the event loop in which the limit passes, its result is returned.
template <typename T>
Task<T> orTimeout(Loop &loop, Task<T> task, Duration limit)
{
    detail::TimedAwaiter<T> race(loop, task, limit);
    co_await race;
    if (!task.done())
        throw Timeout();
    co_return task.take();
}

} // namespace drover::async
