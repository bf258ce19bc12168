#pragma once

#include <QList>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace drover::jobs {

// How often a failed job is retried, and when. The delay is firstDelay, then twice as long each time up to
// longestDelay. A random part of up to one half is subtracted, so that jobs that failed together are not retried
// together. This is exponential backoff with "equal jitter"
// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
struct RetryPolicy {
    static constexpr int MaxLimit = 1000;

    int limit = 0; // retries
    // The exit codes that are retried, with 128 + n for signal n and 124 for a time limit. Empty: all but 0.
    QList<int> codes;
    std::chrono::milliseconds firstDelay{1000};
    std::chrono::milliseconds longestDelay{300'000};

    // Whether an attempt that ended with this exit code is retried; `failed` attempts failed before it.
    bool covers(int exitCode, int failed) const
    {
        return exitCode != 0 && failed < limit && (codes.isEmpty() || codes.contains(exitCode));
    }
    // The delay after `failed` earlier failures. `chance` is in [0, 1).
    std::chrono::milliseconds delay(int failed, double chance) const
    {
        const double longest = static_cast<double>(std::max(firstDelay, longestDelay).count());
        const double full = std::min(longest, std::ldexp(static_cast<double>(firstDelay.count()), failed));
        return std::chrono::milliseconds(std::llround(full * (1 - chance / 2)));
    }

    friend bool operator==(const RetryPolicy &, const RetryPolicy &) = default;
};

} // namespace drover::jobs
