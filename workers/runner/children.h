#pragma once

#include "workers/runner/cgroups.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

namespace drover::runner {

// The end of a job: its leader's status and resource usage from wait4(2).
struct Death {
    std::uint64_t runId = 0;
    int status = 0;
    std::int64_t cpuNs = 0;
    std::int64_t peakBytes = 0;
    bool killedByLease = false;
    bool neverExecuted = false; // killed before it executed the command
};

// The end of a process that serves a job but does not belong to the job's tree.
struct HelperDeath {
    std::uint64_t runId = 0; // of the job
    pid_t pid = 0;
    int status = 0;
};

// The processes of all jobs of this runner. A job is a tree: its leader, which has its own process group, and all
// descendants. When the leader dies the rest gets SIGKILL, and the job ends when no process of the tree is left.
//
// A process that has left the group (setsid) becomes this subreaper's child when its parents have died. It is
// recognised by the tag in its environment or by its control group. A process without a tag is killed when no job is
// running. Processes that this one may not kill are not waited for: they have changed to another user (setuid) while
// the runner is not root.
//
// Two threads use it: the main one adds and reaps, the lease guard kills. A pid is signalled only while it cannot have
// been reused. A group is signalled under the mutex before it is forgotten, which is before its leader is reaped. An
// orphan is signalled by the thread that would reap it, or under the mutex.
class Children
{
public:
    // Adds the process that `make` makes, which must lead its own process group. Meanwhile killAll() waits: it would
    // take a child that is unknown for an orphan. `tag` ("NAME=value") is in the environment of all its processes;
    // empty: they have no tag. `group` may be null; otherwise it must outlive the job. Returns the pid; -1, with errno,
    // if `make` does.
    pid_t add(std::uint64_t runId, const std::function<pid_t()> &make, std::string tag, const Cgroup *group);

    // Adds a process that killAll() and its owner kill, but that does not belong to the job's tree. Its end is reported
    // once.
    void addHelper(std::uint64_t runId, pid_t pid);
    std::vector<HelperDeath> takeHelperDeaths();

    // Reaps dead processes, kills the rest of their trees, and returns the jobs whose trees are gone. Never blocks.
    std::vector<Death> reap();

    // True while remains of ended jobs are dying: call reap() again within some milliseconds. A process that is dying
    // or in an exec shows no environment, so its job is unknown.
    bool isBurying() const { return !m_ended.empty(); }

    // Sends a signal to the job's group. Returns whether its leader was alive, or not reaped yet.
    bool signal(std::uint64_t runId, int number) const;

    // Sends SIGKILL to every job's group and to all orphans outside them. More orphans appear as their parents die, so
    // repeat it until it returns false: then no killable process is left.
    bool killAll();

    // Returns when there is a job. If there is a job or the remains of one already, it returns after `pause`.
    void waitForJobs(std::chrono::milliseconds pause);

private:
    struct Job {
        pid_t pid = 0;
        std::string tag;
        const Cgroup *cgroup = nullptr;
        bool killed = false;
    };
    enum class Belongs { No, Yes, Unknown }; // Unknown: it is dying or in an exec
    struct Ended {
        pid_t group = 0;
        std::string tag;
        const Cgroup *cgroup = nullptr;
        Death death;
        bool remains = false;
    };

    bool reapOne();
    void killRemains();
    Belongs belongs(pid_t orphan, pid_t group, const Ended &job) const;
    bool isLeader(pid_t pid) const { return m_tokens.contains(pid); }
    bool isHelper(pid_t pid) const { return m_helpers.contains(pid); }

    mutable std::mutex m_mutex;
    std::condition_variable m_added;
    std::unordered_map<std::uint64_t, Job> m_jobs; // jobs whose leader lives
    std::unordered_map<pid_t, std::uint64_t> m_tokens; // their run ids, by leader
    std::unordered_map<pid_t, std::uint64_t> m_helpers;
    std::vector<HelperDeath> m_helperDeaths;
    std::vector<Ended> m_ended; // only the main thread changes it, under the mutex
};

} // namespace drover::runner
