#pragma once

#include "async/intrusive_list.h"
#include "async/task.h"

#include <coroutine>

namespace drover::async {

// A flag that coroutines of one thread wait for, without mutex or allocation. set() resumes all waiters in the order of
// their arrival, before it returns. A waiter may destroy the event. To lose no wake-up: reset(), then look at the
// state, then wait().
class Event
{
public:
    class Waiter : private ListHook
    {
    public:
        explicit Waiter(Event &event) : m_event(event) { }

        bool await_ready() const noexcept { return m_event.m_set; }
        void await_suspend(std::coroutine_handle<> waiter) noexcept
        {
            m_handle = waiter;
            appendTo(m_event.m_waiters);
        }
        void await_resume() const noexcept { }

    private:
        friend class Event;
        Event &m_event;
        std::coroutine_handle<> m_handle;
    };

    bool isSet() const noexcept { return m_set; }
    void reset() noexcept { m_set = false; }
    Waiter wait() { return Waiter(*this); }

    void set()
    {
        m_set = true;
        notify();
    }

    // Resumes the present waiters without setting the flag.
    void notify()
    {
        ListHook present; // on this stack: a waiter may destroy the event
        present.takeAll(m_waiters);
        while (present.linked()) {
            auto &waiter = static_cast<Waiter &>(*present.next());
            waiter.unlink();
            waiter.m_handle.resume();
        }
    }

private:
    bool m_set = false;
    ListHook m_waiters;
};

// Event::wait() as a task, for functions that take tasks: firstOf, orTimeout. The event must outlive the task.
inline Task<void> untilSet(Event &event)
{
    co_await event.wait();
}

} // namespace drover::async
