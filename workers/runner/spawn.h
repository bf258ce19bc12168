#pragma once

#include "posix/file_descriptor.h"
#include "workers/protocol/runner_protocol.h"
#include "workers/runner/lease_guard.h"

#include <string>

#include <sys/resource.h>
#include <sys/types.h>

namespace drover::runner {

// Starts the processes of jobs. It uses fork(2), not vfork(2): if a job's path leads to a dead file server, only the
// new process hangs, which a signal ends, and never the runner. The process dies with the calling thread
// (PR_SET_PDEATHSIG).
class Spawner
{
public:
    // `jobFiles` is a job's limit of open files; the runner's own is higher. `lease` must outlive this object.
    Spawner(rlimit jobFiles, const workers::protocol::LeaseWord &lease);

    // Whether the lease holds. If it does not, no job may command, nor may the runner do anything for it that others see.
    bool mayStart() const { return isAlive(m_lease); }

    // Descriptors that the new process inherits; the caller closes its own copies.
    struct Ends {
        int output;
        int error;
        int status; // the other end of a StatusReader
        int go = -1; // each copy writes a byte here once it can write
        int copies = 0;
    };

    // Forks the leader of a new process group, which then executes the command, and returns its pid. -1: errno says why
    // the fork failed. If it does not reach the command, it reports to `status` and dies. `cgroup` may be empty. It
    // checks the lease just before the exec, because the earlier steps may hang for long, or be stopped.
    pid_t spawn(const workers::protocol::Command &command, const Ends &ends, const std::string &cgroup) const;

private:
    [[noreturn]] void becomeCommand(const workers::protocol::Command &command, int copies,
                                    const std::string &cgroup) const;

    rlimit m_jobFiles;
    const workers::protocol::LeaseWord &m_lease;
    posix::FileDescriptor m_null;
};

} // namespace drover::runner
