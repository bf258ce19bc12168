#pragma once

#include "app/bench/contention.h"
#include "app/bench/figures.h"

namespace drover::app {

struct LockBenchOptions {
    zk::Path directory; // of the lock; stays
    std::chrono::milliseconds duration{5000};
    std::chrono::nanoseconds roundTrip{0}; // injected; 0: unknown, and nothing is counted in round trips
    std::chrono::milliseconds warmUp{30'000}; // at most: an unfair lock may leave somebody out for ever
    std::chrono::milliseconds hold{0}; // each holds it so long
    int contendersPerSession = 1;
    MakeContention contention = contendForMutex;
};

// Every contender acquires and releases one lock in a loop, without a hold no longer than it takes to notice; measured
// is the time from one grant to the next, whoever gets it: a cycle for one contender, a hand-off for several. The clock
// starts when everybody has held the lock once, or the warm-up is
// over. The sessions are connected and of this thread's loop. Throws what the
// lock throws, and std::logic_error if a later holder had a lower fencing token.
async::Task<Figures> measureLock(std::vector<zk::Coordinator *> sessions, LockBenchOptions options);

} // namespace drover::app
