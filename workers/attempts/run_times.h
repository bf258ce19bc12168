#pragma once

#include "async/loop.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace drover::workers {

// The durations of one worker's jobs: of jobs that have ended recently, and of running ones.
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

    // The average duration, of any age; nothing if no job has ended yet.
    std::optional<async::Duration> average() const { return m_average; }

    // The expected duration of the next job; nothing if none has ended within the last second.
    std::optional<async::Duration> expected(const std::vector<Running> &running, async::TimePoint now) const
    {
        constexpr auto AverageAge = std::chrono::seconds(1); // an older average is not used
        if (!m_average || now - m_latestEnd > AverageAge)
            return std::nullopt;
        async::Duration longest = *m_average;
        for (const Running &job : running)
            longest = std::max(longest, job.age);
        return longest;
    }

    // If the youngest jobs end first: the age of the last job that must end until `slotCount` slots are free. Nothing
    // if fewer slots are in use.
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
    async::TimePoint m_latestEnd{}; // the latest end in the average
};

} // namespace drover::workers
