#pragma once

#include "async/loop.h"
#include "async/task_group.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace drover::app {

// Runs tasks concurrently, a limited number at a time, and delivers their results in the order in which the tasks were
// added. So a long list does not cost a round trip for each entry in turn. Destroying it cancels the tasks.
template <typename T>
class ParallelInOrder
{
public:
    static constexpr std::size_t Width = 256;

    ParallelInOrder(async::Loop &loop, std::function<void(T)> deliver) : m_loop(loop), m_deliver(std::move(deliver)) { }

    // Begins the task once there is room. Throws the error of an earlier task or of its delivery.
    async::Task<void> add(async::Task<T> task)
    {
        co_await untilFewer(Width);
        m_slots.push_back(std::make_shared<Slot>());
        m_tasks.spawn(run(std::move(task), m_slots.back()));
    }

    // Returns once all results have been delivered. Throws as add() does.
    async::Task<void> finish() { return untilFewer(1); }

private:
    struct Slot {
        std::optional<T> result;
    };

    async::Task<void> untilFewer(std::size_t count)
    {
        while (m_slots.size() >= count && !m_error) {
            m_changed->reset();
            co_await m_changed->wait();
        }
        if (m_error)
            std::rethrow_exception(m_error);
    }

    async::Task<void> run(async::Task<T> task, std::shared_ptr<Slot> slot)
    {
        try {
            T result = co_await task;
            slot->result.emplace(std::move(result));
            while (!m_slots.empty() && m_slots.front()->result) {
                const std::shared_ptr<Slot> first = std::move(m_slots.front());
                m_slots.pop_front();
                m_deliver(std::move(*first->result));
            }
        } catch (...) {
            m_error = std::current_exception();
        }
        // From the loop, because the waiting coroutine may destroy the group in which this runs.
        m_loop.post([changed = m_changed] { changed->set(); });
    }

    async::Loop &m_loop;
    std::function<void(T)> m_deliver;
    std::deque<std::shared_ptr<Slot>> m_slots;
    std::exception_ptr m_error;
    std::shared_ptr<async::Event> m_changed = std::make_shared<async::Event>();
    async::TaskGroup m_tasks; // last: destroyed first
};

} // namespace drover::app
