#pragma once

#include "posix/file_descriptor.h"
#include "workers/process/runner_protocol.h"
#include "workers/runner/command_start.h"
#include "workers/runner/start_threads.h"

#include <memory>
#include <string>

namespace drover::runner {

// Starts the processes of jobs. The runner never waits for a path of a job, which may lead to a dead file server. Only
// the new process hangs, which a signal ends, and a thread that waits for its exec.
class Spawner
{
public:
    // `usual`: the runner's own limit of open files is higher. `lease` must outlive this object.
    Spawner(UsualLimits usual, const workers::protocol::LeaseWord &lease);

    // Whether the lease holds. If it does not, no job may start, nor may the runner do anything for it that others see.
    bool mayStart() const { return isAlive(m_lease); }

    // Whether nothing holds the limit of processes for this command: it runs as the runner's user.
    bool leavesUnbounded(const workers::protocol::Command &command) const
    {
        return m_usual.processes > 0 && !JobUser::of(command).isOther();
    }

    // Begins to start the command in another thread, with /dev/null for its standard input. Returns null if there can be
    // no thread: errno says why. An empty `cgroup` means none.
    std::shared_ptr<CommandStart> start(const workers::protocol::Command &command, CommandStart::Ends ends,
                                        std::string cgroup);

private:
    UsualLimits m_usual;
    const workers::protocol::LeaseWord &m_lease;
    posix::FileDescriptor m_null;
    StartThreads m_threads;
};

} // namespace drover::runner
