#include "jobs/model/retry_policy.h"

#include <algorithm>
#include <cmath>

namespace drover::jobs {

std::chrono::milliseconds RetryPolicy::delay(int failed, double chance) const
{
    const double longest = static_cast<double>(std::max(firstDelay, longestDelay).count());
    const double full = std::min(longest, std::ldexp(static_cast<double>(firstDelay.count()), failed));
    return std::chrono::milliseconds(std::llround(full * (1 - chance / 2)));
}

} // namespace drover::jobs
