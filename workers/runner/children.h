#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <sys/types.h>

namespace drover::runner {

// How a child ended, as wait4(2) tells it.
struct Death {
    pid_t pid = 0;
    int status = 0;
    std::int64_t cpuNs = 0;
    std::int64_t peakBytes = 0;
    bool isJob = false; // else an orphan of a job that this process, a subreaper, inherited
    bool killedByLease = false;
};

// The processes that this one answers for. Two threads: the main one adds and reaps, the lease guard kills. A pid is
// signalled only while it cannot have been reused: under the mutex, before its group is forgotten; and it is forgotten
// before it is reaped.
class Children
{
public:
    // `pid` leads a process group of its own.
    void add(pid_t pid);

    // The next dead child, if any; never blocks. What is left of a job's process group dies with its leader.
    std::optional<Death> reap();

    // SIGKILL to every job's group and to every orphan that left its group. Orphans appear as their parents die: repeat
    // until none is left.
    void killAll();

    bool empty() const;

    // Returns when there is a job: at once, or after `pause` when there was one already.
    void waitForJobs(std::chrono::milliseconds pause);

private:
    void killOrphans();

    mutable std::mutex m_mutex;
    std::condition_variable m_added;
    struct Mark {
        bool killed = false;
    };
    std::unordered_map<pid_t, Mark> m_jobs;
};

} // namespace drover::runner
