#pragma once

#include "jobs/model/cluster.h"

#include <vector>

namespace drover::jobs {

// Named limits. A limit bounds how many of the jobs that ask for it run at a time in the whole cluster. Each is a
// semaphore (recipes::Semaphore) with a shared number of permits. A limit that was never set lets one job run at a
// time.
constexpr int MaxPermits = 1'000'000;
constexpr int UnsetPermits = 1;

struct Limit {
    QByteArray name;
    int permits = UnsetPermits;
    int held = 0; // permits in use
};

// All wait out lost connections and throw SessionLost.

// Notes in the audit who did it, like unsetLimit().
async::Task<void> setLimit(Cluster cluster, QByteArray name, int permits);
// Without a note: for the limit of a queue (Layout::limitOfQueue), which changeQueue() notes.
async::Task<void> setPermits(Cluster cluster, QByteArray name, int permits);

// Deletes the limit, as if it had never been set. Returns false, and changes nothing, if a job holds a permit or waits
// for one. A job that asks for a permit at that very moment may fail with an error.
async::Task<bool> unsetLimit(Cluster cluster, QByteArray name);

// As a job would find it: UnsetPermits if it was never set.
async::Task<int> permitsOfLimit(Cluster cluster, QByteArray name);

// Creates the number of permits if it is missing.
async::Task<void> ensureLimit(Cluster cluster, QByteArray name);

// How many sequence numbers the limit has given out, of tickets or of leases, whichever are more. Each job that takes a
// permit takes one of both. There are zk::LastSequence; afterwards no job gets a permit, until unsetLimit() has deleted
// the nodes.
async::Task<qint64> numbersOfLimit(Cluster cluster, QByteArray name);

// Lists the limits by name. Limits of queues are left out.
async::Task<std::vector<Limit>> listLimits(Cluster cluster);

} // namespace drover::jobs
