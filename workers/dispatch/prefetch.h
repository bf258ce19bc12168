#pragma once

#include "async/boot_clock.h"

#include <algorithm>
#include <optional>

namespace drover::workers {

// Computes how many jobs a worker claims before their slots are free: as many as will start during another claim.
// Otherwise each slot would be idle for a report, a read and a claim after each job.
class Prefetch
{
public:
    // Notes how long a claim took, from reading the specs to the answer.
    void noteClaim(async::Duration took) { m_claim = m_claim ? *m_claim + (took - *m_claim) / Weight : took; }

    // `expected`: how long a job takes here; nothing: unknown. A slot then comes free every expected / slotCount. A job
    // that would wait for longer than Patience is not prefetched: another worker may be idle.
    int count(std::optional<async::Duration> expected, int slotCount) const
    {
        if (!expected)
            return 0;
        const async::Duration each = std::max(*expected, Shortest) / slotCount;
        const auto begun = std::min<qint64>(std::max(Horizon, ClaimsInHorizon * claim()) / each, Most);
        const bool isOneWorthIt = each <= Patience && claim() * WorthIt >= *expected;
        return std::max(static_cast<int>(begun), isOneWorthIt ? 1 : 0);
    }

    // How long a prefetched job may wait here before it goes back. `usual`: how long jobs have taken here.
    static async::Duration patience(std::optional<async::Duration> usual)
    {
        return std::clamp(2 * usual.value_or(async::Duration::zero()), Patience, 3 * Patience);
    }

private:
    static constexpr async::Duration Horizon = std::chrono::milliseconds(20);
    static constexpr async::Duration Shortest = std::chrono::microseconds(100);
    static constexpr async::Duration Patience = std::chrono::milliseconds(100);
    static constexpr int ClaimsInHorizon = 2;
    static constexpr int Most = 64;
    static constexpr int WorthIt = 100; // prefetch if a claim takes over 1/100 of a job
    static constexpr int Weight = 5;

    async::Duration claim() const { return m_claim.value_or(async::Duration::zero()); }

    std::optional<async::Duration> m_claim;
};

} // namespace drover::workers
