#pragma once

#include "app/bench/figures/contention.h"
#include "app/bench/figures/figures.h"

namespace drover::app {

struct LockBenchOptions {
    zk::Path directory; // of the lock; is not removed
    std::chrono::milliseconds duration{5000};
    std::chrono::nanoseconds roundTrip{0}; // injected; 0: no figures in round trips
    std::chrono::milliseconds warmUp{30'000}; // limit: an unfair lock may starve a contender
    std::chrono::milliseconds hold{0}; // how long each contender holds the lock
    int contendersPerSession = 1;
    MakeContention contention = contendForMutex;
};

// Every contender acquires and releases one lock in a loop; without `hold` it releases at once. The measured time is
// from one grant to the next: a cycle for one contender, a hand-off for several. The measurement starts when each
// contender has held the lock once, or the warm-up has passed. The sessions must be connected and belong to this
// thread's loop. Throws the errors of the lock, and std::logic_error if a later holder had a lower fencing token.
async::Task<Figures> measureLock(std::vector<zk::Client *> sessions, LockBenchOptions options);

} // namespace drover::app
