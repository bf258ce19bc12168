#pragma once

#include "async/event.h"
#include "async/loop.h"
#include "async/task.h"

#include <exception>

namespace drover::async {

// The first error of the tasks that an object runs in a TaskGroup of its own, thrown where that object is awaited:
//
//     TaskGroup m_tasks{[this](const std::exception_ptr &error) { m_failure.note(error); }};
//     Task<void> run() { ... ; co_await m_failure.thrown(); }
//
// note() is called from within the task that has failed, and whoever awaits run() may destroy the object, and with it
// the group that this task is in: so the wait ends later, from the loop.
class FirstFailure
{
public:
    explicit FirstFailure(Loop &loop) : m_loop(loop) { }

    void note(const std::exception_ptr &error)
    {
        if (m_error)
            return;
        m_error = error;
        m_wake = m_loop.after(Duration::zero(), [this] { m_noted.set(); });
    }

    // Never returns otherwise.
    Task<void> thrown()
    {
        co_await m_noted.wait();
        std::rethrow_exception(m_error);
    }

private:
    Loop &m_loop;
    std::exception_ptr m_error;
    Event m_noted;
    Timer m_wake;
};

} // namespace drover::async
