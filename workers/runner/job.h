#pragma once

#include "workers/runner/capture.h"
#include "workers/runner/children.h"
#include "workers/runner/spawn.h"
#include "workers/runner_protocol.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace drover::runner {

// One run of one command, from its start to the report of its end.
class Job
{
public:
    // The captures report to `epoll`. `children` outlives this.
    Job(workers::protocol::Start start, int epoll, Children &children);
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    std::uint64_t token() const { return m_start.token; }
    std::uint32_t lane() const { return m_start.lane; }

    // Whether it runs; if not, the job is over and its report is failure().
    bool spawn(const Spawner &spawner, const Cgroups &cgroups);
    workers::protocol::Finished failure() const;
    workers::protocol::Started started() const;

    // The instant, on bootNs()'s clock, at which due() has something to do.
    std::optional<std::int64_t> deadline() const { return m_deadline; }
    // The time limit has passed, or the grace after it.
    void due();

    void signal(int number) const;
    void kill(std::int64_t graceNs) { end(workers::protocol::How::Killed, graceNs); }

    // The report of a job of which nothing is left; it is where it outlives this process, if that is wanted.
    workers::protocol::Finished finish(const Death &death);

private:
    bool openCopies(const Spawner &spawner);
    void keep(const workers::protocol::Finished &finished) const;
    void end(workers::protocol::How how, std::int64_t graceNs);
    workers::protocol::Finished report() const;

    workers::protocol::Start m_start;
    Children &m_children;
    Tail m_tail;
    Capture m_output;
    Capture m_error;
    Spawned m_failure;
    std::unique_ptr<Cgroup> m_cgroup;
    pid_t m_pid = 0;
    std::int64_t m_startedMs;
    std::int64_t m_startedNs;
    std::optional<workers::protocol::How> m_ending; // why the runner is ending it
    std::optional<std::int64_t> m_deadline;
};

// The reports of jobs that have not been started: because the lease has passed, because they were called back.
workers::protocol::Finished refusedByLease(const workers::protocol::Start &start);
workers::protocol::Finished withdrawn(const workers::protocol::Start &start);

} // namespace drover::runner
