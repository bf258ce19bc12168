#pragma once

#include "async/event.h"
#include "async/loop.h"
#include "async/task.h"

#include <QString>

#include <functional>

namespace drover::async {

// Owns tasks that run beside their maker. Destroying the group cancels the running tasks, so declare a group as the
// last member. An exception that leaves a task goes to the handler, by default one critical log line. A task must not
// destroy the group it runs in.
class TaskGroup
{
public:
    using ErrorHandler = std::function<void(std::exception_ptr)>;

    TaskGroup();
    explicit TaskGroup(ErrorHandler onError);
    TaskGroup(const TaskGroup &) = delete;
    TaskGroup &operator=(const TaskGroup &) = delete;
    ~TaskGroup();

    // Starts `task` at once; returns when it first suspends.
    void spawn(Task<void> task);

    bool empty() const { return m_size == 0; }
    int size() const { return m_size; }
    void cancelAll();

    // Returns once the group is empty.
    Task<void> drained();

private:
    class Background;

    ErrorHandler m_onError;
    ListHook m_running;
    int m_size = 0;
    Event m_empty;
};

// The first error of the tasks that an object runs in a TaskGroup of its own, thrown where that object is awaited:
//
//     TaskGroup m_tasks{[this](const std::exception_ptr &error) { m_failure.note(error); }};
//     Task<void> run() { ... ; co_await m_failure.thrown(); }
//
// note() is called from within the task that has failed. The task that awaits run() may destroy the object, and with it
// the failed task's group. So the wait ends later, from the loop.
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

    // Throws the first error. It never returns.
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

// Describes an exception in one line, for a log.
QString describe(const std::exception_ptr &error);

} // namespace drover::async
