#pragma once

#include "async/boot_clock.h"

#include <algorithm>
#include <optional>

namespace drover::workers {

// How many jobs a worker claims ahead of its slots: as many as will begin by the time that another claim would take.
// Otherwise each slot is idle for a report, a read and a claim after each job.
class Prefetch
{
public:
    // A claim has taken so long, from the reading of the specs to the answer.
    void noteClaim(async::Duration took) { m_claim = m_claim ? *m_claim + (took - *m_claim) / Weight : took; }

    // `expected`: how long a job takes here; nothing if that is not known. A slot comes free each expected / slotCount
    // then. A job that would wait here for longer than Patience is not claimed ahead: another worker may be idle.
    int ahead(std::optional<async::Duration> expected, int slotCount) const
    {
        if (!expected)
            return 0;
        const async::Duration each = std::max(*expected, Shortest) / slotCount;
        const auto begun = std::min<qint64>(std::max(Horizon, ClaimsInHorizon * claim()) / each, Most);
        const bool isOneWorthIt = each <= Patience && claim() * WorthIt >= *expected;
        return std::max(static_cast<int>(begun), isOneWorthIt ? 1 : 0);
    }

    // What was claimed ahead and has not begun by then is better off elsewhere. `usual`: how long jobs have taken here.
    async::Duration patience(std::optional<async::Duration> usual) const
    {
        return std::clamp(2 * usual.value_or(async::Duration::zero()), Patience, 3 * Patience);
    }

private:
    static constexpr async::Duration Horizon = std::chrono::milliseconds(20);
    static constexpr async::Duration Shortest = std::chrono::microseconds(100);
    static constexpr async::Duration Patience = std::chrono::milliseconds(100);
    static constexpr int ClaimsInHorizon = 2;
    static constexpr int Most = 64;
    static constexpr int WorthIt = 100; // parts of a job's time, of which a claim may take one
    static constexpr int Weight = 5;

    async::Duration claim() const { return m_claim.value_or(async::Duration::zero()); }

    std::optional<async::Duration> m_claim;
};

} // namespace drover::workers
