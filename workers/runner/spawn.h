#pragma once

#include "posix/file_descriptor.h"
#include "workers/protocol/runner_protocol.h"
#include "workers/runner/command_start.h"
#include "workers/runner/start_threads.h"

#include <memory>
#include <string>

#include <sys/resource.h>

namespace drover::runner {

// Starts the processes of jobs. The runner never waits for a path of a job, which may lead to a dead file server. Only
// the new process hangs, which a signal ends, and a thread that waits for its exec.
class Spawner
{
public:
    // `jobFiles` is a job's limit of open files; the runner's own is higher. `lease` must outlive this object.
    Spawner(rlimit jobFiles, const workers::protocol::LeaseWord &lease);

    // Whether the lease holds. If it does not, no job may start, nor may the runner do anything for it that others see.
    bool mayStart() const { return isAlive(m_lease); }

    // Begins to start the command in another thread, with /dev/null for its standard input. Returns null if there can be
    // no thread: errno says why. An empty `cgroup` means none.
    std::shared_ptr<CommandStart> start(const workers::protocol::Command &command, CommandStart::Ends ends,
                                        std::string cgroup);

private:
    rlimit m_jobFiles;
    const workers::protocol::LeaseWord &m_lease;
    posix::FileDescriptor m_null;
    StartThreads m_threads;
};

} // namespace drover::runner
