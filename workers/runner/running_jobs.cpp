#include "workers/runner/running_jobs.h"

#include "posix/clock.h"

#include <algorithm>
#include <limits>

#include <sys/timerfd.h>
#include <unistd.h>

namespace drover::runner {

using namespace posix;

namespace {

constexpr std::int64_t announceAfterNs = 10'000'000;
constexpr std::int64_t longestLookNs = 200'000'000; // after jobs that have not begun

} // namespace

RunningJobs::RunningJobs(WorkerSocket &worker)
    : m_worker(worker), m_timer(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC))
{
}

void RunningJobs::add(std::unique_ptr<Job> job)
{
    m_deadlinesChanged |= job->deadline().has_value();
    m_announcements.emplace(bootNs() + announceAfterNs, job->runId());
    m_jobs.emplace(job->runId(), std::move(job));
}

Job *RunningJobs::find(std::uint64_t runId) const
{
    const auto found = m_jobs.find(runId);
    return found == m_jobs.end() ? nullptr : found->second.get();
}

void RunningJobs::kill(std::uint64_t runId, std::int64_t graceNs)
{
    if (Job *const job = find(runId)) {
        job->kill(graceNs);
        m_deadlinesChanged = true;
    }
}

int RunningJobs::untilAnnouncementMs() const
{
    if (m_announcements.empty())
        return -1;
    const std::int64_t left = m_announcements.begin()->first - bootNs();
    return left <= 0 ? 0 : int(left / 1'000'000) + 1;
}

// Most jobs of a busy worker are over before this: a message less for each. One whose start hangs is looked at again,
// after twice the time each.
void RunningJobs::announce()
{
    const std::int64_t now = bootNs();
    while (!m_announcements.empty() && m_announcements.begin()->first <= now) {
        const std::uint64_t runId = m_announcements.begin()->second;
        m_announcements.erase(m_announcements.begin());
        Job *const job = find(runId);
        if (!job)
            continue;
        if (job->hasBegun())
            m_worker.send(job->started());
        else
            m_announcements.emplace(now + std::clamp(now - job->startedNs(), announceAfterNs, longestLookNs), runId);
    }
}

void RunningJobs::finishIfOver(Job &job)
{
    m_deadlinesChanged |= job.deadline().has_value();
    if (!job.isOver())
        return;
    m_worker.send(job.finish());
    m_jobs.erase(job.runId());
}

void RunningJobs::expire()
{
    std::uint64_t ignored;
    [[maybe_unused]] const ssize_t size = ::read(m_timer.get(), &ignored, sizeof ignored);
    const std::int64_t now = bootNs();
    std::vector<Job *> due;
    for (const auto &[runId, job] : m_jobs) {
        if (job->deadline() && *job->deadline() <= now)
            due.push_back(job.get());
    }
    for (Job *const job : due) {
        job->due();
        finishIfOver(*job);
    }
    m_deadlinesChanged = true;
}

void RunningJobs::armTimer()
{
    if (!m_deadlinesChanged)
        return;
    m_deadlinesChanged = false;
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::int64_t next = never;
    for (const auto &[runId, job] : m_jobs)
        next = std::min(next, job->deadline().value_or(never));
    const itimerspec instant{.it_interval = {}, .it_value = next == never ? timespec{} : toTimespec(next)};
    ::timerfd_settime(m_timer.get(), TFD_TIMER_ABSTIME, &instant, nullptr);
}

} // namespace drover::runner
