#pragma once

#include "app/bench/figures.h"
#include "app/lab/lease_lock.h"

namespace drover::app {

// What distinguishes one lock service from another. Both functions block: they start a thread for each client and wait
// for all of them. They throw what a client threw.

// Clients acquire and release one lock in a loop.
Figures contendFor(const LockService &service, int clients, std::chrono::milliseconds duration);

struct Overlaps {
    int withoutFence = 0;
    int withFence = 0;
};

// A holder stands still until its lease has run out and another has the lock. Then it goes on, as a process does that
// was swapped out between its last look at the lock and its write: once for each pause, all at a time. Counted are the
// writes that a storage accepts while the other holds the lock: one that takes all, and one that refuses a lower token
// than it has seen.
Overlaps pauseHolders(const LockService &service, int pauses, std::chrono::milliseconds lease);

} // namespace drover::app
