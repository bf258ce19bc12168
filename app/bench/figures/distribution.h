#pragma once

#include "async/boot_clock.h"

#include <vector>

namespace drover::app {

// Measured durations, and their quantiles.
class Distribution
{
public:
    void add(async::Duration value) { m_values.push_back(value); }
    std::size_t size() const { return m_values.size(); }

    // The quantile `q` (0 to 1) by nearest rank: the smallest value that is at least as large as the fraction q of all
    // values. Returns 0 without values.
    async::Duration quantile(double q) const;
    async::Duration median() const { return quantile(0.5); }

private:
    std::vector<async::Duration> m_values;
};

} // namespace drover::app
