#pragma once

#include "async/loop.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace drover::workers {

// How long the jobs of one worker last: those that have ended lately, and those that run now.
class RunTimes
{
public:
    struct Running {
        async::Duration age;
        int slotCount;
    };

    void noteEnd(async::Duration elapsed, async::TimePoint now)
    {
        constexpr int Weight = 5;
        m_average = m_average ? *m_average + (elapsed - *m_average) / Weight : elapsed;
        m_latestEnd = now;
    }

    // Whatever the age of that average; nothing if none has ended yet.
    std::optional<async::Duration> average() const { return m_average; }

    // Of the next job; nothing if none has ended within the last second.
    std::optional<async::Duration> expected(const std::vector<Running> &running, async::TimePoint now) const
    {
        constexpr auto AverageAge = std::chrono::seconds(1); // after which it says nothing about the next job
        if (!m_average || now - m_latestEnd > AverageAge)
            return std::nullopt;
        async::Duration longest = *m_average;
        for (const Running &job : running)
            longest = std::max(longest, job.age);
        return longest;
    }

    // The age of the youngest job that has to end before so many slots are free, if the youngest end first; nothing if
    // fewer run.
    static std::optional<async::Duration> ageOfLast(std::vector<Running> running, int slotCount)
    {
        const auto isYounger = [](const Running &a, const Running &b) { return a.age < b.age; };
        std::sort(running.begin(), running.end(), isYounger);
        for (const Running &job : running) {
            slotCount -= job.slotCount;
            if (slotCount <= 0)
                return job.age;
        }
        return std::nullopt;
    }

private:
    std::optional<async::Duration> m_average;
    async::TimePoint m_latestEnd{}; // that is in the average
};

} // namespace drover::workers
