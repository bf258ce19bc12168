#pragma once

#include "app/bench/figures/figures.h"
#include "app/lab/lease_lock.h"

namespace drover::app {

// Compares lock services. Both functions block: they start a thread for each client and wait for all of them. They
// rethrow the error of a client.

// Clients acquire and release one lock in a loop.
Figures contendFor(const LockService &service, int clients, std::chrono::milliseconds duration);

struct Overlaps {
    int withoutFence = 0;
    int withFence = 0;
};

// A holder pauses until its lease has run out and another client has the lock, then it writes. A process that was
// swapped out between its check and its write does so. All pauses run at one time. Counts the writes that a storage
// accepts while the other client holds the lock, for two storages. One storage accepts all writes, and one refuses a
// token lower than the highest it has seen.
Overlaps pauseHolders(const LockService &service, int pauses, std::chrono::milliseconds lease);

} // namespace drover::app
