#pragma once

#include "workers/runner/cgroups.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

namespace drover::runner {

// How a job ended: its leader's end, as wait4(2) tells it.
struct Death {
    std::uint64_t token = 0;
    int status = 0;
    std::int64_t cpuNs = 0;
    std::int64_t peakBytes = 0;
    bool killedByLease = false;
};

// The processes that this one answers for. A job is a tree: its leader, which was started with a process group of its
// own, and all that came of it. When the leader dies the rest gets SIGKILL, and the job is over when nothing of it is
// left. What has left the group (setsid) is found when its parents have died and it is this subreaper's child: by the
// mark in its environment, or in its control group; and what has no mark dies when no job is running. Nobody waits for
// what this process may not kill: what has become another user's (setuid) while this one is not root.
//
// Two threads: the main one adds and reaps, the lease guard kills. A pid is signalled only while it cannot have been
// reused: a group under the mutex, before it is forgotten, which is before its leader is reaped; an orphan by the
// thread that would reap it, or under the mutex.
class Children
{
public:
    // `pid` leads a process group of its own; what its processes have in their environment is `mark` ("NAME=value";
    // empty: nothing tells them from others). Its control group, if it has one, outlives the job.
    void add(std::uint64_t token, pid_t pid, std::string mark, const Cgroup *group);

    // Buries the dead, kills what they have left, and returns the jobs of which nothing is left. Never blocks.
    std::vector<Death> reap();

    // There are jobs whose remains are on their way out: reap() again within some milliseconds. A process that dies or
    // execs shows no environment, so that it cannot be told whose it is.
    bool isBurying() const { return !m_ended.empty(); }

    // To the job's whole group. Whether its leader still lived, or was not reaped yet.
    bool signal(std::uint64_t token, int number) const;

    // SIGKILL to every job's group and to every orphan that left its group. Orphans appear as their parents die: repeat
    // until none is left. Returns false when there is no process that this one may kill.
    bool killAll();

    // Returns when there is a job: at once, or after `pause` when there was one already, or remains of one.
    void waitForJobs(std::chrono::milliseconds pause);

private:
    struct Job {
        pid_t pid = 0;
        std::string mark;
        const Cgroup *cgroup = nullptr;
        bool killed = false;
    };
    enum class Belongs { No, Yes, Unknown }; // it is in the middle of an exec or of its death
    struct Ended {
        pid_t group = 0;
        std::string mark;
        const Cgroup *cgroup = nullptr;
        Death death;
        bool remains = false;
    };

    bool reapOne();
    void killRemains();
    Belongs belongs(pid_t orphan, pid_t group, const Ended &job) const;
    bool isLeader(pid_t pid) const { return m_tokens.contains(pid); }

    mutable std::mutex m_mutex;
    std::condition_variable m_added;
    std::unordered_map<std::uint64_t, Job> m_jobs; // those whose leader lives
    std::unordered_map<pid_t, std::uint64_t> m_tokens; // of those
    std::vector<Ended> m_ended; // changed by the main thread alone, under the mutex
};

} // namespace drover::runner
