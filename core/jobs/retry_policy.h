#pragma once

#include <QList>

#include <chrono>

namespace drover::jobs {

// How often a job that fails is tried again, and when: after firstDelay, then twice as long each time up to
// longestDelay, less up to half of that by chance, so that what failed together does not come back together
// (exponential backoff with "equal jitter": https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
struct RetryPolicy {
    static constexpr int MaxLimit = 1000;

    int limit = 0; // retries
    QList<int> codes; // exit codes that are retried, 128 + n for signal n, 124 for a time limit; empty: any but 0
    std::chrono::milliseconds firstDelay{1000};
    std::chrono::milliseconds longestDelay{300'000};

    // Whether an attempt that ended with this exit code, after `failed` that failed before, is followed by another.
    bool covers(int exitCode, int failed) const
    {
        return exitCode != 0 && failed < limit && (codes.isEmpty() || codes.contains(exitCode));
    }
    // After `failed` that failed before. `chance` is in [0, 1).
    std::chrono::milliseconds delay(int failed, double chance) const;

    friend bool operator==(const RetryPolicy &, const RetryPolicy &) = default;
};

} // namespace drover::jobs
