#pragma once

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

namespace drover::async {

template <typename T = void>
class Task;

namespace detail {

class TaskPromiseBase
{
public:
    std::coroutine_handle<> continuation = std::noop_coroutine();

    std::suspend_always initial_suspend() const noexcept { return {}; }

    struct ResumeContinuation {
        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept
        {
            return finished.promise().continuation;
        }
        void await_resume() const noexcept { }
    };
    ResumeContinuation final_suspend() const noexcept { return {}; }
};

template <typename T>
class TaskPromise : public TaskPromiseBase
{
public:
    Task<T> get_return_object() noexcept;
    void unhandled_exception() noexcept { m_result.template emplace<2>(std::current_exception()); }
    template <typename Value>
    void return_value(Value &&value)
    {
        m_result.template emplace<1>(std::forward<Value>(value));
    }
    T take()
    {
        if (m_result.index() == 2)
            std::rethrow_exception(std::get<2>(m_result));
        return std::move(std::get<1>(m_result));
    }

private:
    std::variant<std::monostate, T, std::exception_ptr> m_result;
};

template <>
class TaskPromise<void> : public TaskPromiseBase
{
public:
    Task<void> get_return_object() noexcept;
    void unhandled_exception() noexcept { m_error = std::current_exception(); }
    void return_void() const noexcept { }
    void take() const
    {
        if (m_error)
            std::rethrow_exception(m_error);
    }

private:
    std::exception_ptr m_error;
};

} // namespace detail

// A coroutine that starts when it is awaited. Destroying its Task ends it: its locals unwind, and the operation that it
// awaited is abandoned. One thread; awaited once. A Task must not be destroyed from inside its own running body.
//
// GCC 12 miscompiles co_await inside larger expressions: await to a name (core/async/README.md).
template <typename T>
class [[nodiscard]] Task
{
public:
    using promise_type = detail::TaskPromise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    Task() = default;
    explicit Task(Handle handle) : m_handle(handle) { }
    Task(Task &&other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) { }
    Task &operator=(Task &&other) noexcept
    {
        std::swap(m_handle, other.m_handle);
        return *this;
    }
    ~Task()
    {
        if (m_handle)
            m_handle.destroy();
    }

    bool done() const { return m_handle.done(); }

    // For combinators: makes `continuation` run when this task ends. Returns the coroutine that the caller must resume
    // now.
    std::coroutine_handle<> start(std::coroutine_handle<> continuation) noexcept
    {
        m_handle.promise().continuation = continuation;
        return m_handle;
    }
    T take() { return m_handle.promise().take(); }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept { return start(waiter); }
    T await_resume() { return take(); }

private:
    Handle m_handle;
};

namespace detail {

template <typename T>
Task<T> TaskPromise<T>::get_return_object() noexcept
{
    return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}

inline Task<void> TaskPromise<void>::get_return_object() noexcept
{
    return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

} // namespace detail

// Makes an awaitable a task and drops its result, for functions that take tasks such as firstOf and orTimeout.
template <typename Awaitable>
Task<void> asTask(Awaitable awaitable)
{
    co_await awaitable;
}

} // namespace drover::async
