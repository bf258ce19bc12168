#pragma once

#include "posix/file_descriptor.h"
#include "workers/runner/job.h"
#include "workers/runner/worker_socket.h"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

namespace drover::runner {

// The jobs that run. It knows when to look at a job again: at its deadline, and soon after its start, to see whether it
// has begun. It sends beginnings and ends to the worker.
class RunningJobs
{
public:
    // `worker` must outlive this object.
    explicit RunningJobs(WorkerSocket &worker);

    void add(std::unique_ptr<Job> job);
    // Null: it is over, or never was.
    Job *find(std::uint64_t runId) const;
    void kill(std::uint64_t runId, std::int64_t graceNs);
    // To be called when something has happened to the job. Destroys it if it is over.
    void finishIfOver(Job &job);

    // The descriptor that is readable once a deadline has passed. armTimer() sets the next one.
    int timer() const { return m_timer.get(); }
    void armTimer();
    void expire();

    // In how many milliseconds announce() is due; -1: never.
    int untilAnnouncementMs() const;
    void announce();

private:
    WorkerSocket &m_worker;
    posix::FileDescriptor m_timer;
    std::unordered_map<std::uint64_t, std::unique_ptr<Job>> m_jobs; // by run id
    std::multimap<std::int64_t, std::uint64_t> m_announcements; // when to check that a job has begun
    bool m_deadlinesChanged = false;
};

} // namespace drover::runner
