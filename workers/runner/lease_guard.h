#pragma once

#include "posix/clock.h"
#include "workers/process/runner_protocol.h"
#include "workers/runner/children.h"

namespace drover::runner {

// Whether the worker's session is certainly alive. Reads memory that both processes map; safe in a child before its
// exec.
inline bool isAlive(const workers::protocol::LeaseWord &lease)
{
    return posix::bootNs() < lease.load();
}

// A thread that kills every job the moment the worker's lease passes. It is independent of the main loop, which may be
// blocked in a write to a slow spool. The jobs must be dead before another worker can claim them. It allocates no
// memory and waits only for the clock.
class LeaseGuard
{
public:
    // Both parameters must live until the process exits, because the thread runs until then.
    LeaseGuard(const workers::protocol::LeaseWord &lease, Children &children);

private:
    void watch();

    const workers::protocol::LeaseWord &m_lease;
    Children &m_children;
};

} // namespace drover::runner
