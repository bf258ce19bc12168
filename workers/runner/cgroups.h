#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace drover::runner {

// The control group of one job. It limits the memory of all its processes together, and lists them. The destructor
// removes the group if it is empty.
class Cgroup
{
public:
    Cgroup(std::string path, bool unified) : m_path(std::move(path)), m_unified(unified) { }
    Cgroup(const Cgroup &) = delete;
    Cgroup &operator=(const Cgroup &) = delete;
    ~Cgroup();

    // Limits the memory of all processes together, in bytes. Returns false if the kernel does not support it here.
    bool limit(std::int64_t memory) const;

    // A process that writes "0" to this file joins the group, with all its later children.
    std::string entrance() const { return m_path + "/cgroup.procs"; }
    std::vector<pid_t> processes() const;
    // Sends SIGKILL to all processes of the group, and to those of groups below it where the kernel has cgroup.kill.
    // Returns whether killable processes may be left.
    bool kill() const;
    // Whether the kernel has killed a process of the group because it lacked memory.
    bool ranOutOfMemory() const;

private:
    std::string m_path;
    bool m_unified;
};

// Sends SIGKILL to processes that another process reaps, so their pids may be reused at any time. `list` is read twice,
// before and after each process is held by a pidfd. Returns whether processes may be left.
bool killListed(const std::function<std::vector<pid_t>()> &list);

// Where this process may create control groups for a controller, such as memory. With cgroup v1, each controller has a
// separate hierarchy, and the place is below the process's own group. With v2 it is beside its own group, because a v2
// group holds either processes or limited groups. So the worker must run in a leaf of its delegated tree, as systemd's
// DelegateSubgroup= arranges.
struct CgroupPlace {
    std::string parent; // a directory; empty: groups are not available
    std::string own; // of this process's own group
    bool unified = false; // v2

    // Removes empty groups of dead runners. The files mountinfo and cgroup in `self` show this process's group.
    static CgroupPlace find(const std::string &controller, const std::string &self = "/proc/self");
};

// Limits the processes and threads of this process and all its later children together, where control groups are
// available. The process enters a group, and leaves it when this object is destroyed. Only a process without children
// may do so.
class ProcessLimit
{
public:
    explicit ProcessLimit(std::int64_t most, const CgroupPlace &place = CgroupPlace::find("pids")); // 0: no limit
    ProcessLimit(const ProcessLimit &) = delete;
    ProcessLimit &operator=(const ProcessLimit &) = delete;
    ~ProcessLimit();

    bool isSet() const { return !m_path.empty(); }

private:
    std::string m_path;
    std::string m_before; // the group to return to
};

// Makes the groups of jobs with a limit of memory. Other jobs get none: a group costs more than the start of a short
// job. With v2 a job's group has a limit of processes of its own, as high as ProcessLimit's.
class Cgroups
{
public:
    explicit Cgroups(const std::string &self = "/proc/self");

    // Returns null if groups are not available; then each process is limited separately. `name` must be unique on this
    // machine.
    std::unique_ptr<Cgroup> make(const std::string &name, std::int64_t memory) const;

private:
    CgroupPlace m_place;
    std::string m_processes; // what pids.max of our own group says; empty: nothing
};

} // namespace drover::runner
