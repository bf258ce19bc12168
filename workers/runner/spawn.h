#pragma once

#include "posix/file_descriptor.h"
#include "workers/process/runner_protocol.h"
#include "workers/runner/command_start.h"

#include <memory>
#include <string>
#include <vector>

namespace drover::runner {

// Threads that lend themselves to the starts of commands, each of which may hang for ever. There are as many as starts
// were under way at a time. They live as long as the process.
class StartThreads
{
public:
    // Returns one that has no borrower, if need be a new one. Null: there can be no thread; errno says why.
    LentThread *idle();

private:
    std::vector<std::shared_ptr<LentThread>> m_threads;
};

// Starts the processes of jobs. The runner never waits for a path of a job, which may lead to a dead file server. Only
// the new process hangs, which a signal ends.
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

    // Returns a start that is to be launched at once, with /dev/null for its standard input. Returns null if there can
    // be no thread for it: errno says why. An empty `cgroup` means none.
    std::unique_ptr<CommandStart> prepare(const workers::protocol::Command &command, CommandStart::Ends ends,
                                          std::string cgroup);

private:
    UsualLimits m_usual;
    const workers::protocol::LeaseWord &m_lease;
    posix::FileDescriptor m_null;
    StartThreads m_threads;
};

} // namespace drover::runner
