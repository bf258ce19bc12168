#pragma once

#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <vector>

namespace drover::jobs {

// Named limits: at most so many jobs that ask for one run at a time, in the whole cluster. Each is a semaphore
// (recipes::Semaphore) with a shared number of permits; one that nobody has set lets one job run at a time.
constexpr int MaxPermits = 1'000'000;
constexpr int UnsetPermits = 1;

struct Limit {
    QByteArray name;
    int permits = UnsetPermits;
    int held = 0; // permits given out
};

// All wait out lost connections and throw SessionLost.

async::Task<void> setLimit(zk::Coordinator &zk, Layout layout, QByteArray name, int permits);

// As if nobody had ever set it. False: somebody holds a permit or waits for one, and nothing was changed. Who asks for
// one at that very moment may find none to count by, and is told of an error.
async::Task<bool> unsetLimit(zk::Coordinator &zk, Layout layout, QByteArray name);

// Makes its number of permits if there is none.
async::Task<void> ensureLimit(zk::Coordinator &zk, Layout layout, QByteArray name);

// By name; those of queues are left out.
async::Task<std::vector<Limit>> listLimits(zk::Coordinator &zk, Layout layout);

} // namespace drover::jobs
