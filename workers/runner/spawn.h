#pragma once

#include "posix/file_descriptor.h"
#include "workers/process/runner_protocol.h"
#include "workers/runner/command_start.h"

#include <memory>
#include <string>

namespace drover::runner {

// Threads in which the starts of commands wait, because each may hang for ever. There are as many as starts were
// under way at a time. They live as long as the process: a job's process dies with the thread that made it.
class StartThreads
{
public:
    StartThreads();

    // Launches it in a thread that is idle, or in a new one. Returns false if there can be no thread: errno says why.
    bool launch(std::shared_ptr<CommandStart> start);

private:
    struct Queue;
    static void serve(const std::shared_ptr<Queue> &queue);

    std::shared_ptr<Queue> m_queue;
};

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

    // Begins to start the command in another thread, with /dev/null for its standard input. Returns null if there can
    // be no thread: errno says why. An empty `cgroup` means none.
    std::shared_ptr<CommandStart> start(const workers::protocol::Command &command, CommandStart::Ends ends,
                                        std::string cgroup);

private:
    UsualLimits m_usual;
    const workers::protocol::LeaseWord &m_lease;
    posix::FileDescriptor m_null;
    StartThreads m_threads;
};

} // namespace drover::runner
