#pragma once

#include "async/boot_clock.h"

#include <vector>

namespace drover::app {

// Durations that were measured, and their quantiles.
class Distribution
{
public:
    void add(async::Duration value) { m_values.push_back(value); }
    std::size_t size() const { return m_values.size(); }

    // By nearest rank: the smallest value that at least the fraction `q` (0 to 1) of all do not exceed; 0 if there are
    // none.
    async::Duration quantile(double q) const;
    async::Duration median() const { return quantile(0.5); }

private:
    std::vector<async::Duration> m_values;
};

} // namespace drover::app
