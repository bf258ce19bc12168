#include "workers/runner/children.h"

#include "posix/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace drover::runner {

using namespace posix;

namespace {

std::int64_t toNs(const timeval &time)
{
    return (std::int64_t(time.tv_sec) * 1'000'000 + time.tv_usec) * 1'000;
}

// The leaders of jobs, the writers of copies, and the orphans that this process has adopted. Zombies too. A kernel
// without CONFIG_PROC_CHILDREN shows no such file: there a process that left its job's group survives.
std::vector<pid_t> childrenOfMainThread()
{
    return numbersIn(contents("/proc/self/task/" + std::to_string(::getpid()) + "/children"));
}

// A number of proc_pid_stat(5), or nothing.
std::optional<unsigned long long> statField(const std::string &process, int number)
{
    const std::string stat = contents(process + "/stat");
    std::size_t at = stat.rfind(')'); // of the name, the second field
    for (int field = 2; field < number && at != stat.npos; ++field)
        at = stat.find(' ', at + 1);
    return at == stat.npos ? std::nullopt : std::optional(std::strtoull(stat.c_str() + at + 1, nullptr, 10));
}

// Whether it has memory to show: not in the middle of an exec or of its death.
bool hasEnvironment(const std::string &process)
{
    constexpr int envEnd = 51;
    return statField(process, envEnd).value_or(0) != 0;
}

// Whether a child of ours, dead and not reaped, is still what was forked.
bool neverExecuted(pid_t pid)
{
    constexpr int flags = 9;
    constexpr unsigned long long forkedNoExec = 0x40; // PF_FORKNOEXEC of the kernel's sched.h
    return (statField("/proc/" + std::to_string(pid), flags).value_or(0) & forkedNoExec) != 0;
}

// Returns nothing if the environment is unknown now, and an empty one if this process may not read it.
std::optional<std::string> environmentOf(pid_t pid)
{
    const std::string process = "/proc/" + std::to_string(pid);
    const FileDescriptor file = opened(process + "/environ");
    if (!file)
        return errno == EACCES || errno == EPERM ? std::optional(std::string()) : std::nullopt;
    std::string environment = contents(file);
    if (environment.empty() && !hasEnvironment(process))
        return std::nullopt;
    return environment;
}

// Between the NULs of an environment.
bool hasVariable(std::string_view environment, std::string_view variable)
{
    for (std::size_t at = 0; (at = environment.find(variable, at)) != environment.npos; ++at) {
        const std::size_t end = at + variable.size();
        if ((at == 0 || environment[at - 1] == '\0') && (end == environment.size() || environment[end] == '\0'))
            return true;
    }
    return false;
}

// Kills a process, or with -pid a group. Returns false if it may not be killed, because it has become another user's
// (setuid); the runner does not wait for it.
bool canKill(pid_t pid)
{
    return ::kill(pid, SIGKILL) == 0 || errno != EPERM;
}

} // namespace

pid_t Children::add(std::uint64_t runId, const std::function<pid_t()> &make, std::string tag, const Cgroup *group)
{
    const std::lock_guard lock(m_mutex);
    const pid_t pid = make();
    if (pid < 0)
        return pid;
    m_jobs.emplace(runId, Job{.pid = pid, .tag = std::move(tag), .cgroup = group});
    m_tokens.emplace(pid, runId);
    m_added.notify_one();
    return pid;
}

void Children::addHelper(std::uint64_t runId, pid_t pid)
{
    const std::lock_guard lock(m_mutex);
    m_helpers.emplace(pid, runId);
    m_added.notify_one();
}

std::vector<HelperDeath> Children::takeHelperDeaths()
{
    return std::exchange(m_helperDeaths, {});
}

std::vector<Death> Children::reap()
{
    while (reapOne()) { }
    std::vector<Death> over;
    if (m_ended.empty())
        return over;
    killRemains();
    const std::lock_guard lock(m_mutex); // the lease guard looks whether there are any
    std::erase_if(m_ended, [&](const Ended &job) {
        if (!job.remains)
            over.push_back(job.death);
        return !job.remains;
    });
    return over;
}

// Whether there may be another dead child.
bool Children::reapOne()
{
    siginfo_t dead{};
    if (::waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0 || dead.si_pid == 0)
        return false;
    const std::lock_guard lock(m_mutex);
    const auto leader = m_tokens.find(dead.si_pid);
    if (leader == m_tokens.end()) {
        int status = 0;
        ::waitpid(dead.si_pid, &status, 0);
        if (const auto helper = m_helpers.extract(dead.si_pid); !helper.empty())
            m_helperDeaths.push_back({.runId = helper.mapped(), .pid = dead.si_pid, .status = status});
        return true;
    }
    auto job = m_jobs.extract(leader->second);
    m_tokens.erase(leader);
    ::kill(-dead.si_pid, SIGKILL); // the zombie still holds the number of the group
    Death death{.runId = job.key(), .killedByLease = job.mapped().killed};
    death.neverExecuted = dead.si_code != CLD_EXITED && neverExecuted(dead.si_pid);
    rusage usage{};
    ::wait4(dead.si_pid, &death.status, 0, &usage);
    death.cpuNs = toNs(usage.ru_utime) + toNs(usage.ru_stime);
    death.peakBytes = std::int64_t(usage.ru_maxrss) * 1024;
    m_ended.push_back(
        {.group = dead.si_pid, .tag = std::move(job.mapped().tag), .cgroup = job.mapped().cgroup, .death = death});
    return true;
}

// Each remaining part of a tree has its root among this process's children: an orphan, dead or alive. The orphan's own
// children become ours when it has died, which another SIGCHLD reports. No mutex is needed: only this thread changes
// the data that it reads here, and only it reaps.
void Children::killRemains()
{
    for (Ended &job : m_ended) {
        job.remains = job.cgroup && job.cgroup->kill();
    }
    for (const pid_t orphan : childrenOfMainThread()) {
        if (isLeader(orphan) || isHelper(orphan))
            continue;
        const pid_t group = ::getpgid(orphan);
        for (Ended &job : m_ended) {
            const Belongs answer = belongs(orphan, group, job);
            if (answer != Belongs::Yes) {
                job.remains |= answer == Belongs::Unknown;
                continue;
            }
            job.remains |= canKill(orphan);
            // At once what it is forking just now; but it may have gone into the group of another job.
            if (group > 0 && group != ::getpgrp() && !isLeader(group))
                ::kill(-group, SIGKILL);
        }
    }
}

Children::Belongs Children::belongs(pid_t orphan, pid_t group, const Ended &job) const
{
    if (group == job.group)
        return Belongs::Yes;
    const std::optional<std::string> environment = environmentOf(orphan);
    if (!environment)
        return Belongs::Unknown;
    const bool tagged = !job.tag.empty() && hasVariable(*environment, job.tag);
    return tagged || m_jobs.empty() ? Belongs::Yes : Belongs::No;
}

bool Children::signal(std::uint64_t runId, int number) const
{
    const std::lock_guard lock(m_mutex);
    const auto job = m_jobs.find(runId);
    if (job == m_jobs.end())
        return false;
    ::kill(-job->second.pid, number);
    return true;
}

bool Children::killAll()
{
    const std::lock_guard lock(m_mutex);
    bool any = false;
    for (auto &[runId, job] : m_jobs) {
        job.killed = true;
        any |= canKill(-job.pid);
    }
    for (const pid_t child : childrenOfMainThread()) {
        if (!isLeader(child))
            any |= canKill(child);
    }
    return any;
}

void Children::waitForJobs(std::chrono::milliseconds pause)
{
    std::unique_lock lock(m_mutex);
    if (m_jobs.empty() && m_ended.empty() && m_helpers.empty())
        m_added.wait(lock, [this] { return !m_jobs.empty() || !m_helpers.empty(); });
    else
        m_added.wait_for(lock, pause);
}

} // namespace drover::runner
