#pragma once

#include "jobs/model/job_id.h"
#include "zk/server_clock.h"

#include <algorithm>
#include <set>

namespace drover::workers {

// The waiting jobs whose start time is to come, by the servers' clock. No time comes unless this machine's clock is
// known to agree with it. Times count from the Unix epoch; 0 means that the job waits for no time.
class StartTimes
{
public:
    // It outlives this object.
    explicit StartTimes(const zk::ServerClock &clock) : m_clock(clock) { }

    bool hasCome(std::chrono::milliseconds time) const
    {
        return time.count() == 0 || (m_clock.agrees() && time <= m_clock.atLeast());
    }
    void add(std::chrono::milliseconds time, const jobs::JobId &id) { m_times.emplace(time, id); }
    void remove(std::chrono::milliseconds time, const jobs::JobId &id) { m_times.erase({time, id}); }

    // The jobs whose time has come; they are removed.
    std::set<jobs::JobId> takeDue()
    {
        std::set<jobs::JobId> due;
        while (!m_times.empty() && hasCome(m_times.begin()->first)) {
            due.insert(m_times.begin()->second);
            m_times.erase(m_times.begin());
        }
        return due;
    }

    // How long to wait before the next takeDue(): a second at most, because the time of day may be set meanwhile.
    // Nothing if no job waits for a time.
    std::optional<async::Duration> untilNext() const
    {
        constexpr async::Duration longest = std::chrono::seconds(1);
        if (m_times.empty())
            return std::nullopt;
        const async::Duration left = m_times.begin()->first - m_clock.atLeast();
        return m_clock.agrees() ? std::clamp(left, async::Duration::zero(), longest) : longest;
    }

private:
    const zk::ServerClock &m_clock;
    std::set<std::pair<std::chrono::milliseconds, jobs::JobId>> m_times;
};

} // namespace drover::workers
