#pragma once

#include "posix/file_descriptor.h"
#include "workers/process/runner_protocol.h"
#include "workers/process/slot_queues.h"
#include "workers/runner/children.h"
#include "workers/runner/job.h"
#include "workers/runner/lease_guard.h"
#include "workers/runner/spawn.h"
#include "workers/runner/worker_socket.h"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

namespace drover::runner {

// The runner's main loop: one epoll delivers requests of the worker, output and deaths of jobs, and deadlines.
class Supervisor
{
public:
    // `lease` must stay mapped until the process exits. SIGCHLD must be blocked in every thread.
    Supervisor(posix::FileDescriptor control, const workers::protocol::LeaseWord &lease, UsualLimits usual);

    // Runs until the worker is gone and every job and orphan is dead. Returns the exit code.
    int run();

private:
    void turn();
    void converse();
    void handle(workers::protocol::Command request);
    void handle(const workers::protocol::Signal &request);
    void handle(const workers::protocol::Kill &request);
    void handle(const workers::protocol::Recall &request);
    void follow(std::uint32_t slotQueue);
    bool start(workers::protocol::Command command);
    bool withdraw(std::uint64_t runId);
    int patienceMs() const;
    void announce();
    void reap();
    void finishIfOver(Job &job);
    void expire();
    void armTimer();
    void killEverything();

    void watch(int fd, void *tag);
    Job *find(std::uint64_t runId) const;

    posix::FileDescriptor m_epoll;
    WorkerSocket m_worker;
    posix::FileDescriptor m_childSignals;
    posix::FileDescriptor m_timer;
    Spawner m_spawner;
    Cgroups m_cgroups;
    Children m_children;
    LeaseGuard m_guard;
    std::unordered_map<std::uint64_t, std::unique_ptr<Job>> m_jobs;
    workers::SlotQueues<workers::protocol::Command> m_slotQueues;
    std::multimap<std::int64_t, std::uint64_t> m_announcements; // when to check that a job has begun
    bool m_deadlinesChanged = false;
};

} // namespace drover::runner
