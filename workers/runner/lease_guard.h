#pragma once

#include "workers/runner/children.h"
#include "workers/runner/clock.h"
#include "workers/runner_protocol.h"

namespace drover::runner {

// Whether the worker's session surely lives. Of the memory that both processes map; safe in a child before its exec.
inline bool isAlive(const workers::protocol::LeaseWord &lease)
{
    return bootNs() < lease.load();
}

// A thread that kills every job the moment the worker's lease passes, whatever the main loop is doing: it may sit in a
// write to a slow disk or in an exec from a dead file server, and the jobs must be dead before another worker can have
// claimed them. It allocates nothing and waits for nothing but the clock.
class LeaseGuard
{
public:
    // Both outlive the process's threads; the guard runs until the process exits.
    LeaseGuard(const workers::protocol::LeaseWord &lease, Children &children);

private:
    void watch();

    const workers::protocol::LeaseWord &m_lease;
    Children &m_children;
};

} // namespace drover::runner
