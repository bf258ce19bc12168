#pragma once

#include "async/task_group.h"
#include "recipes/locks/lock.h"

namespace drover::test {

// Waits for a lock or another value in the background, and then keeps it.
template <typename T>
class Holder
{
public:
    void keep(async::Task<T> acquiring) { m_waiting.spawn(wait(std::move(acquiring))); }

    bool has() const { return m_value.has_value(); }
    bool waits() const { return !m_waiting.empty(); }
    T &operator*() { return *m_value; }
    void drop() { m_value.reset(); }
    void cancel() { m_waiting.cancelAll(); }
    const std::exception_ptr &error() const { return m_error; }

private:
    async::Task<void> wait(async::Task<T> acquiring)
    {
        T value = co_await acquiring;
        m_value.emplace(std::move(value));
    }

    std::optional<T> m_value;
    std::exception_ptr m_error;
    async::TaskGroup m_waiting{[this](const std::exception_ptr &error) { m_error = error; }};
};

using LockHolder = Holder<recipes::Lock>;

} // namespace drover::test
