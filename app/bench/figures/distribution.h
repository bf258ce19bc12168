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

    // The quantile `q` (0 to 1) by nearest rank. It is the smallest value v so that at least the fraction q of all
    // values is at most v. 0 without values.
    async::Duration quantile(double q) const;
    async::Duration median() const { return quantile(0.5); }

private:
    std::vector<async::Duration> m_values;
};

} // namespace drover::app
