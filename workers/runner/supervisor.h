#pragma once

#include "workers/lanes.h"
#include "workers/runner/children.h"
#include "workers/runner/fd.h"
#include "workers/runner/job.h"
#include "workers/runner/lease_guard.h"
#include "workers/runner/spawn.h"
#include "workers/runner_protocol.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace drover::runner {

// The runner's main loop: requests of the worker, output and deaths of jobs, and deadlines, from one epoll. A reply
// that the socket does not take at once waits in memory, never lost; jobs in flight bound how many there can be.
class Supervisor
{
public:
    // `lease` is mapped for as long as the process lives. SIGCHLD is blocked in every thread.
    Supervisor(Fd control, const workers::protocol::LeaseWord &lease, rlimit jobFiles);

    // Until the worker has gone; then every job and orphan is dead. Returns the exit code.
    int run();

private:
    void turn();
    void converse();
    bool readRequest();
    void handle(workers::protocol::Start request);
    void handle(const workers::protocol::Signal &request);
    void handle(const workers::protocol::Kill &request);
    void handle(const workers::protocol::Recall &request);
    void follow(std::uint32_t lane);
    bool start(workers::protocol::Start start);
    bool withdraw(std::uint64_t token);
    int patienceMs() const;
    void announce();
    void reap();
    void expire();
    void armTimer();
    void killEverything();

    template <typename Message>
    void reply(const Message &message);
    void flushReplies();
    void watch(int fd, void *tag);
    Job *find(std::uint64_t token) const;

    struct Announcement {
        std::int64_t dueNs;
        std::uint64_t token;
    };

    Fd m_control;
    Fd m_epoll;
    Fd m_childSignals;
    Fd m_timer;
    Spawner m_spawner;
    Cgroups m_cgroups;
    Children m_children;
    LeaseGuard m_guard;
    std::unordered_map<std::uint64_t, std::unique_ptr<Job>> m_jobs;
    workers::Lanes<workers::protocol::Start> m_lanes;
    std::deque<Announcement> m_announcements; // in order of time
    std::deque<std::string> m_replies;
    std::vector<char> m_request;
    bool m_socketFull = false; // EPOLLOUT is asked for
    bool m_deadlinesChanged = false;
    bool m_workerGone = false;
    int m_exitCode = 0;
};

} // namespace drover::runner
