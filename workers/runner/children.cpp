#include "workers/runner/children.h"

#include "workers/runner/files.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace drover::runner {

namespace {

std::int64_t toNs(const timeval &time)
{
    return (std::int64_t(time.tv_sec) * 1'000'000 + time.tv_usec) * 1'000;
}

// Zombies too. A kernel without CONFIG_PROC_CHILDREN shows no such file: there a process that left its job's group
// survives.
std::vector<pid_t> childrenOfMainThread()
{
    return numbersIn(contents("/proc/self/task/" + std::to_string(::getpid()) + "/children"));
}

// Whether it has memory to show: not in the middle of an exec or of its death (proc_pid_stat(5), env_end).
bool hasEnvironment(const std::string &process)
{
    constexpr int envEnd = 51;
    const std::string stat = contents(process + "/stat");
    std::size_t at = stat.rfind(')'); // of the name, the second field
    for (int field = 2; field < envEnd && at != stat.npos; ++field)
        at = stat.find(' ', at + 1);
    return at != stat.npos && stat.compare(at + 1, 2, "0 ") != 0;
}

// Nothing: it cannot be told now. One that we may not read is empty.
std::optional<std::string> environmentOf(pid_t pid)
{
    const std::string process = "/proc/" + std::to_string(pid);
    const Fd file = opened(process + "/environ");
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

// Kills a process, or with -pid a group. False if it may not be killed: it has become another user's (setuid), and
// nobody waits for it.
bool canKill(pid_t pid)
{
    return ::kill(pid, SIGKILL) == 0 || errno != EPERM;
}

} // namespace

void Children::add(std::uint64_t token, pid_t pid, std::string mark, const Cgroup *group)
{
    const std::lock_guard lock(m_mutex);
    m_jobs.emplace(token, Job{.pid = pid, .mark = std::move(mark), .cgroup = group});
    m_tokens.emplace(pid, token);
    m_added.notify_one();
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
        ::waitpid(dead.si_pid, nullptr, 0);
        return true;
    }
    auto job = m_jobs.extract(leader->second);
    m_tokens.erase(leader);
    ::kill(-dead.si_pid, SIGKILL); // the zombie still holds the number of the group
    Death death{.token = job.key(), .killedByLease = job.mapped().killed};
    rusage usage{};
    ::wait4(dead.si_pid, &death.status, 0, &usage);
    death.cpuNs = toNs(usage.ru_utime) + toNs(usage.ru_stime);
    death.peakBytes = std::int64_t(usage.ru_maxrss) * 1024;
    m_ended.push_back(
        {.group = dead.si_pid, .mark = std::move(job.mapped().mark), .cgroup = job.mapped().cgroup, .death = death});
    return true;
}

// The whole tree that is left has a root among the children of this process: an orphan, dead or alive. Its own children
// come after it when it has died, which is told by another SIGCHLD. Without the mutex: only this thread changes what is
// read here, and only it reaps.
void Children::killRemains()
{
    for (Ended &job : m_ended) {
        job.remains = false;
        for (const pid_t member : job.cgroup ? job.cgroup->processes() : std::vector<pid_t>())
            job.remains |= canKill(member);
    }
    for (const pid_t orphan : childrenOfMainThread()) {
        const pid_t group = ::getpgid(orphan);
        if (isLeader(orphan) || isLeader(group))
            continue;
        for (Ended &job : m_ended) {
            const Belongs answer = belongs(orphan, group, job);
            if (answer != Belongs::Yes) {
                job.remains |= answer == Belongs::Unknown;
                continue;
            }
            job.remains |= canKill(orphan);
            if (group > 0 && group != ::getpgrp()) // at once what it is forking just now
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
    const bool marked = !job.mark.empty() && hasVariable(*environment, job.mark);
    return marked || m_jobs.empty() ? Belongs::Yes : Belongs::No;
}

bool Children::signal(std::uint64_t token, int number) const
{
    const std::lock_guard lock(m_mutex);
    const auto job = m_jobs.find(token);
    if (job == m_jobs.end())
        return false;
    ::kill(-job->second.pid, number);
    return true;
}

bool Children::killAll()
{
    const std::lock_guard lock(m_mutex);
    bool any = false;
    for (auto &[token, job] : m_jobs) {
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
    if (m_jobs.empty() && m_ended.empty())
        m_added.wait(lock, [this] { return !m_jobs.empty(); });
    else
        m_added.wait_for(lock, pause);
}

} // namespace drover::runner
