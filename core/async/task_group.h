#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QString>

#include <functional>

namespace drover::async {

// Owns tasks that run beside their maker. Destroying the group cancels those that have not ended, so a group is a
// member declared last. An exception that leaves a task goes to the handler, by default one critical log line.
// A task must not destroy the group it runs in.
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

// One line for a log about an exception.
QString describe(const std::exception_ptr &error);

} // namespace drover::async
