#include "workers/runner/children.h"

#include "workers/runner/fd.h"

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace drover::runner {

namespace {

std::int64_t toNs(const timeval &time)
{
    return (std::int64_t(time.tv_sec) * 1'000'000 + time.tv_usec) * 1'000;
}

std::string contents(const std::string &path)
{
    std::string text;
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    char buffer[4096];
    for (ssize_t got = 0; file && (got = ::read(file.get(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, std::size_t(got));
    return text;
}

} // namespace

void Children::add(pid_t pid)
{
    const std::lock_guard lock(m_mutex);
    m_jobs.emplace(pid, Mark());
    m_added.notify_one();
}

std::optional<Death> Children::reap()
{
    siginfo_t dead{};
    if (::waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0 || dead.si_pid == 0)
        return std::nullopt;
    Death death{.pid = dead.si_pid};
    const std::lock_guard lock(m_mutex);
    if (const auto job = m_jobs.find(death.pid); job != m_jobs.end()) {
        death.isJob = true;
        death.killedByLease = job->second.killed;
        m_jobs.erase(job);
        ::kill(-death.pid, SIGKILL); // the zombie still holds the number of the group
    }
    rusage usage{};
    ::wait4(death.pid, &death.status, 0, &usage);
    death.cpuNs = toNs(usage.ru_utime) + toNs(usage.ru_stime);
    death.peakBytes = std::int64_t(usage.ru_maxrss) * 1024;
    return death;
}

void Children::killAll()
{
    const std::lock_guard lock(m_mutex);
    for (auto &[pid, mark] : m_jobs) {
        mark.killed = true;
        ::kill(-pid, SIGKILL);
    }
    killOrphans();
}

// A kernel without CONFIG_PROC_CHILDREN shows no such file: there a process that left its job's group survives.
void Children::killOrphans()
{
    const std::string list = contents("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    const char *next = list.c_str();
    for (char *end = nullptr;; next = end) {
        const long pid = std::strtol(next, &end, 10);
        if (end == next)
            return;
        if (!m_jobs.contains(pid_t(pid)))
            ::kill(pid_t(pid), SIGKILL);
    }
}

bool Children::empty() const
{
    const std::lock_guard lock(m_mutex);
    return m_jobs.empty();
}

void Children::waitForJobs(std::chrono::milliseconds pause)
{
    std::unique_lock lock(m_mutex);
    if (m_jobs.empty())
        m_added.wait(lock, [this] { return !m_jobs.empty(); });
    else
        m_added.wait_for(lock, pause);
}

} // namespace drover::runner
