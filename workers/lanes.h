#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace drover::workers {

// Runs that wait for the one before them in their lane: at most one of a lane runs at a time, in the order in which
// they entered. A Run has a `lane` (0: none, it need not wait) and a `token`. No Qt: the runner uses it.
template <typename Run>
class Lanes
{
public:
    // Whether it may begin now. If not it has been moved from, and stays here until it is its turn.
    bool enter(Run &run)
    {
        if (run.lane == 0)
            return true;
        const auto [waiting, free] = m_waiting.try_emplace(run.lane);
        if (!free)
            waiting->second.push_back(std::move(run));
        return free;
    }

    // The one that may begin, now that the one in this lane is over.
    std::optional<Run> leave(std::uint32_t lane)
    {
        const auto waiting = m_waiting.find(lane);
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

    // The one in this lane is over: `start` is called with those behind it, in their order, until it has started one.
    template <typename Start>
    void follow(std::uint32_t lane, const Start &start)
    {
        for (bool started = false; !started;) {
            std::optional<Run> next = leave(lane);
            started = !next || start(std::move(*next));
        }
    }

    // Takes out one that waits; nothing if it does not.
    std::optional<Run> withdraw(std::uint64_t token)
    {
        for (auto &[lane, waiting] : m_waiting) {
            for (auto run = waiting.begin(); run != waiting.end(); ++run) {
                if (run->token == token) {
                    std::optional<Run> withdrawn(std::move(*run));
                    waiting.erase(run);
                    return withdrawn;
                }
            }
        }
        return std::nullopt;
    }

private:
    std::map<std::uint32_t, std::deque<Run>> m_waiting; // an entry for each lane in which one runs
};

} // namespace drover::workers
