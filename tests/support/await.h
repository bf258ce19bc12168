#pragma once

#include "async/task.h"
#include "async/task_group.h"

#include <QEventLoop>
#include <QTimer>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace drover::test {

class TookTooLong : public std::runtime_error
{
public:
    TookTooLong() : std::runtime_error("the task did not end in time") { }
};

namespace detail {

template <typename T>
struct Result {
    std::optional<T> value;
    T take() { return std::move(*value); }
};

template <>
struct Result<void> {
    void take() const { }
};

template <typename T>
async::Task<void> keep(async::Task<T> task, Result<T> &result, QEventLoop &loop, std::exception_ptr &error)
{
    try {
        if constexpr (std::is_void_v<T>) {
            co_await task;
        } else {
            T value = co_await task;
            result.value.emplace(std::move(value));
        }
    } catch (...) {
        error = std::current_exception();
    }
    loop.quit();
}

} // namespace detail

// Runs `task` on the Qt loop of this thread until it ends; returns its result or rethrows what it threw. A task that
// takes longer is cancelled and TookTooLong thrown.
template <typename T>
T await(async::Task<T> task, std::chrono::milliseconds deadline = std::chrono::seconds(60))
{
    detail::Result<T> result;
    std::exception_ptr error;
    QEventLoop loop;
    async::TaskGroup group;
    group.spawn(detail::keep(std::move(task), result, loop, error));
    if (!group.empty()) {
        QTimer::singleShot(deadline, &loop, &QEventLoop::quit);
        loop.exec();
    }
    if (!group.empty())
        throw TookTooLong();
    if (error)
        std::rethrow_exception(error);
    return result.take();
}

} // namespace drover::test
