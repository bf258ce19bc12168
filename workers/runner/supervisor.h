#pragma once

#include "posix/file_descriptor.h"
#include "workers/process/runner_protocol.h"
#include "workers/process/slot_queues.h"
#include "workers/runner/children.h"
#include "workers/runner/lease_guard.h"
#include "workers/runner/running_jobs.h"
#include "workers/runner/spawn.h"
#include "workers/runner/worker_socket.h"

#include <cstdint>

namespace drover::runner {

// The runner's main loop. One epoll reports the worker's requests, the output and the deaths of jobs, and deadlines.
// The Supervisor starts jobs; RunningJobs has those that run.
class Supervisor
{
public:
    // The caller keeps `lease` mapped until the process exits, and has blocked SIGCHLD in every thread.
    Supervisor(posix::FileDescriptor control, const workers::protocol::LeaseWord &lease, UsualLimits usual);

    // Runs until the worker is gone and every job and orphan is dead. Returns the exit code.
    int run();

private:
    void pass();
    void converse();
    void handle(workers::protocol::Command request);
    void handle(const workers::protocol::Signal &request);
    void handle(const workers::protocol::Kill &request);
    void handle(const workers::protocol::Recall &request);
    void follow(std::uint32_t slotQueue);
    bool start(workers::protocol::Command command);
    bool withdraw(std::uint64_t runId);
    void reap();
    void killEverything();
    void watch(int fd, void *tag);

    posix::FileDescriptor m_epoll;
    WorkerSocket m_worker;
    posix::FileDescriptor m_childSignals;
    Spawner m_spawner;
    Cgroups m_cgroups;
    Children m_children;
    LeaseGuard m_guard;
    RunningJobs m_jobs;
    workers::SlotQueues<workers::protocol::Command> m_slotQueues;
};

} // namespace drover::runner
