#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

namespace drover::runner {

// The control group of one job: it limits the memory of all its processes together, and knows them. An empty one is
// removed with this object.
class Cgroup
{
public:
    Cgroup(std::string path, bool unified) : m_path(std::move(path)), m_unified(unified) { }
    Cgroup(const Cgroup &) = delete;
    Cgroup &operator=(const Cgroup &) = delete;
    ~Cgroup();

    // Of all its processes together. False: the kernel has none here.
    bool limit(std::int64_t memory) const;

    // Whoever writes "0" to it is in the group, with all that it starts.
    std::string entrance() const { return m_path + "/cgroup.procs"; }
    std::vector<pid_t> processes() const;
    // Whether the kernel has killed one of them for want of memory.
    bool ranOutOfMemory() const;

private:
    std::string m_path;
    bool m_unified;
};

// Where this process may make control groups that limit memory: below its own group where memory is a hierarchy of its
// own (cgroup v1), beside its own where all are one (v2: a group has processes or groups with limits, so the worker
// must be in a leaf of what is delegated to it, as systemd's DelegateSubgroup= does). Only jobs with a limit get a
// group: one costs more than the start of a short job.
class Cgroups
{
public:
    // Removes what dead runners have left empty. Where this process is tell the files mountinfo and cgroup in `self`.
    explicit Cgroups(const std::string &self = "/proc/self");

    // Nothing when there can be none: then each process is limited by itself. `name` is unique on this machine.
    std::unique_ptr<Cgroup> make(const std::string &name, std::int64_t memory) const;

private:
    std::string m_parent; // empty: nowhere
    bool m_unified = false;
};

} // namespace drover::runner
