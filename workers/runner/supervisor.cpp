#include "workers/runner/supervisor.h"

#include "posix/clock.h"

#include <algorithm>
#include <limits>

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

namespace drover::runner {

using namespace posix;
using namespace workers::protocol;

namespace {

constexpr int buryingPauseMs = 10;
constexpr std::int64_t announceAfterNs = 10'000'000;
constexpr std::int64_t longestLookNs = 200'000'000; // after jobs that have not begun
constexpr int requestsPerTurn = 64; // output and deaths have their turn between bursts of starts

sigset_t childSignal()
{
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    return set;
}

int childSignalFd()
{
    const sigset_t set = childSignal();
    return ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

} // namespace

Supervisor::Supervisor(FileDescriptor control, const LeaseWord &lease, UsualLimits usual)
    : m_epoll(::epoll_create1(EPOLL_CLOEXEC)), m_worker(std::move(control), m_epoll.get()),
      m_childSignals(childSignalFd()), m_timer(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)),
      m_spawner(usual, lease), m_guard(lease, m_children)
{
    watch(m_childSignals.get(), &m_childSignals);
    watch(m_timer.get(), &m_timer);
}

int Supervisor::run()
{
    while (!m_worker.isOver())
        turn();
    killEverything();
    return m_worker.exitCode();
}

// Jobs are destroyed only after their captures and copies of this turn's events have been served.
void Supervisor::turn()
{
    armTimer();
    epoll_event events[64];
    const int count = ::epoll_wait(m_epoll.get(), events, std::size(events), patienceMs());
    bool requests = false;
    bool deaths = false;
    bool deadlines = false;
    for (int i = 0; i < count; ++i) {
        void *const tag = events[i].data.ptr;
        if (tag == &m_worker)
            requests = true;
        else if (tag == &m_childSignals)
            deaths = true;
        else if (tag == &m_timer)
            deadlines = true;
        else
            static_cast<Watched *>(tag)->onReady();
    }
    if (deaths || m_children.isBurying())
        reap();
    if (deadlines)
        expire();
    if (requests)
        converse();
    announce();
}

// How long nothing may happen; -1: for ever.
int Supervisor::patienceMs() const
{
    if (m_children.isBurying())
        return buryingPauseMs;
    if (m_announcements.empty())
        return -1;
    const std::int64_t left = m_announcements.begin()->first - bootNs();
    return left <= 0 ? 0 : int(left / 1'000'000) + 1;
}

// Most jobs of a busy worker are over before this: a message less for each. One whose start hangs is looked at again,
// after twice the time each.
void Supervisor::announce()
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

void Supervisor::converse()
{
    m_worker.flush();
    for (int i = 0; i < requestsPerTurn; ++i) {
        std::optional<Request> request = m_worker.receive();
        if (!request)
            return;
        std::visit([this](auto &message) { handle(std::move(message)); }, *request);
    }
}

void Supervisor::handle(Command request)
{
    const std::uint32_t slotQueue = request.slotQueue;
    if (m_slotQueues.enter(request) && !start(std::move(request)))
        follow(slotQueue);
}

// The running one of this slot queue is over: starts the next.
void Supervisor::follow(std::uint32_t slotQueue)
{
    m_slotQueues.follow(slotQueue, [this](Command next) { return start(std::move(next)); });
}

bool Supervisor::start(Command command)
{
    if (!m_spawner.mayStart()) {
        m_worker.send(refusedByLease(command));
        return false;
    }
    auto job = std::make_unique<Job>(std::move(command), m_epoll.get(), m_children);
    if (!job->spawn(m_spawner, m_cgroups)) {
        m_worker.send(job->finish());
        return false;
    }
    m_deadlinesChanged |= job->deadline().has_value();
    m_announcements.emplace(bootNs() + announceAfterNs, job->runId());
    m_jobs.emplace(job->runId(), std::move(job));
    return true;
}

// A request for a job that is over has crossed its report: nothing to do.
void Supervisor::handle(const Signal &request)
{
    if (Job *const job = find(request.runId))
        job->signal(request.number);
}

void Supervisor::handle(const Kill &request)
{
    if (withdraw(request.runId))
        return;
    if (Job *const job = find(request.runId)) {
        job->kill(request.graceNs);
        m_deadlinesChanged = true;
    }
}

void Supervisor::handle(const Recall &request)
{
    withdraw(request.runId);
}

bool Supervisor::withdraw(std::uint64_t runId)
{
    const std::optional<Command> waiting = m_slotQueues.withdraw(runId);
    if (waiting)
        m_worker.send(withdrawn(*waiting));
    return waiting.has_value();
}

void Supervisor::reap()
{
    signalfd_siginfo ignored;
    [[maybe_unused]] const ssize_t size = ::read(m_childSignals.get(), &ignored, sizeof ignored);
    const std::vector<Death> over = m_children.reap();
    // First of all, so that no process is killed after it was reaped.
    for (const HelperDeath &death : m_children.takeHelperDeaths()) {
        if (Job *const job = find(death.runId)) {
            job->helperDied(death);
            finishIfOver(*job);
        }
    }
    for (const Death &death : over) {
        Job &job = *m_jobs.at(death.runId);
        follow(job.slotQueue()); // first: the next runs while this one is written up
        job.treeEnded(death);
        finishIfOver(job);
    }
}

void Supervisor::finishIfOver(Job &job)
{
    m_deadlinesChanged |= job.deadline().has_value();
    if (!job.isOver())
        return;
    m_worker.send(job.finish());
    m_jobs.erase(job.runId());
}

void Supervisor::expire()
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

void Supervisor::armTimer()
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

// Waits for the last one, but not for ever: a process in an uninterruptible call dies when the call ends.
void Supervisor::killEverything()
{
    constexpr std::int64_t patienceNs = 5'000'000'000;
    const sigset_t children = childSignal();
    const timespec nap = toTimespec(20'000'000);
    for (const std::int64_t end = bootNs() + patienceNs; bootNs() < end;) {
        m_children.killAll();
        m_children.reap();
        siginfo_t ignored;
        if (::waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) != 0)
            return; // no child is left
        ::sigtimedwait(&children, nullptr, &nap);
    }
}

void Supervisor::watch(int fd, void *tag)
{
    epoll_event event{.events = EPOLLIN, .data = {.ptr = tag}};
    ::epoll_ctl(m_epoll.get(), EPOLL_CTL_ADD, fd, &event);
}

Job *Supervisor::find(std::uint64_t runId) const
{
    const auto found = m_jobs.find(runId);
    return found == m_jobs.end() ? nullptr : found->second.get();
}

} // namespace drover::runner
