#pragma once

#include "workers/runner/fd.h"
#include "workers/runner/lease_guard.h"
#include "workers/runner_protocol.h"

#include <string>

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

namespace drover::runner {

// Either a process that runs the command, or why there is none.
struct Spawned {
    pid_t pid = 0; // its own process group; 0: there is none
    int exitCode = 0; // 127 no such command, 126 it cannot be run, machineIsShort
    std::string reason{};
    bool leasePassed = false; // that is why
};

// `exitCode` unless the error says that the machine is short of something now.
Spawned spawnFailure(int exitCode, const std::string &what, int error);

// Starts processes by clone(CLONE_VM | CLONE_VFORK): no page table is copied, and a failed exec is told through the
// shared memory. The calling thread sleeps until the exec; the process dies with that thread (PR_SET_PDEATHSIG).
class Spawner
{
public:
    // `jobFiles` is the limit of open files that a job gets; the runner's own is higher. `lease` outlives this.
    Spawner(rlimit jobFiles, const workers::protocol::LeaseWord &lease);

    // No job may start otherwise, nor may anything be done in its name that others see.
    bool mayStart() const { return isAlive(m_lease); }

    // `cgroup` is empty when it gets none. The lease is looked at in the last moment before the exec: what comes before
    // may hang for long, on a dead file server for example, or be stopped.
    Spawned spawn(const workers::protocol::Start &start, int output, int error, const std::string &cgroup) const;

private:
    rlimit m_jobFiles;
    const workers::protocol::LeaseWord &m_lease;
    Fd m_null;
};

// The signals that the runner ignores; a job gets them back. Every other disposition is the default in both.
constexpr int ignoredSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ};

} // namespace drover::runner
