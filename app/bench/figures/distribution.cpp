#include "app/bench/figures/distribution.h"

#include <algorithm>
#include <cmath>

namespace drover::app {

async::Duration Distribution::quantile(double q) const
{
    if (m_values.empty())
        return {};
    std::vector<async::Duration> values = m_values;
    const double rank = std::ceil(q * static_cast<double>(values.size()));
    const auto index = static_cast<std::ptrdiff_t>(std::clamp(rank, 1.0, static_cast<double>(values.size()))) - 1;
    std::nth_element(values.begin(), values.begin() + index, values.end());
    return values[static_cast<std::size_t>(index)];
}

} // namespace drover::app
