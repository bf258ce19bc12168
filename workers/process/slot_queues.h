#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace drover::workers {

// Queues of runs that follow each other on one slot. One run of a queue runs at a time, in the order of arrival. A Run
// has a `slotQueue` (0: none, it need not wait) and a `runId`. No Qt: the runner uses it.
template <typename Run>
class SlotQueues
{
public:
    // True: the run may start now. False: the run was moved from, and waits here for its turn.
    bool enter(Run &run)
    {
        if (run.slotQueue == 0)
            return true;
        const auto [waiting, free] = m_waiting.try_emplace(run.slotQueue);
        if (!free)
            waiting->second.push_back(std::move(run));
        return free;
    }

    // The running one of this queue is over: returns the next, which may start now.
    std::optional<Run> leave(std::uint32_t slotQueue)
    {
        const auto waiting = m_waiting.find(slotQueue);
        if (waiting == m_waiting.end())
            return std::nullopt;
        if (waiting->second.empty()) {
            m_waiting.erase(waiting);
            return std::nullopt;
        }
        std::optional<Run> next(std::move(waiting->second.front()));
        waiting->second.pop_front();
        return next;
    }

    // The running one of this queue is over: calls `start` with the next runs in order, until one has started.
    template <typename Start>
    void follow(std::uint32_t slotQueue, const Start &start)
    {
        for (bool started = false; !started;) {
            std::optional<Run> next = leave(slotQueue);
            started = !next || start(std::move(*next));
        }
    }

    // Takes out a waiting run. Nothing: no such run waits.
    std::optional<Run> withdraw(std::uint64_t runId)
    {
        for (auto &[slotQueue, waiting] : m_waiting) {
            for (auto run = waiting.begin(); run != waiting.end(); ++run) {
                if (run->runId == runId) {
                    std::optional<Run> withdrawn(std::move(*run));
                    waiting.erase(run);
                    return withdrawn;
                }
            }
        }
        return std::nullopt;
    }

private:
    std::map<std::uint32_t, std::deque<Run>> m_waiting; // by queue: an entry means that one runs
};

} // namespace drover::workers
