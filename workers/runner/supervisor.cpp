#include "workers/runner/supervisor.h"

#include "workers/runner/clock.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

namespace drover::runner {

using namespace workers::protocol;

namespace {

constexpr int buryingPauseMs = 10;
constexpr std::int64_t announceAfterNs = 10'000'000;
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

Supervisor::Supervisor(Fd control, const LeaseWord &lease, rlimit jobFiles)
    : m_control(std::move(control)), m_epoll(::epoll_create1(EPOLL_CLOEXEC)), m_childSignals(childSignalFd()),
      m_timer(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)), m_spawner(jobFiles, lease),
      m_guard(lease, m_children), m_request(maxMessage + 1)
{
    watch(m_control.get(), &m_control);
    watch(m_childSignals.get(), &m_childSignals);
    watch(m_timer.get(), &m_timer);
}

int Supervisor::run()
{
    while (!m_workerGone)
        turn();
    killEverything();
    return m_exitCode;
}

// Jobs are destroyed only after the captures of this turn's events have been served.
void Supervisor::turn()
{
    armTimer();
    epoll_event events[64];
    const int count = ::epoll_wait(m_epoll.get(), events, std::size(events), patienceMs());
    bool control = false;
    bool deaths = false;
    bool deadlines = false;
    for (int i = 0; i < count; ++i) {
        void *const tag = events[i].data.ptr;
        if (tag == &m_control)
            control = true;
        else if (tag == &m_childSignals)
            deaths = true;
        else if (tag == &m_timer)
            deadlines = true;
        else
            static_cast<Capture *>(tag)->drain();
    }
    if (deaths || m_children.isBurying())
        reap();
    if (deadlines)
        expire();
    if (control)
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
    const std::int64_t left = m_announcements.front().dueNs - bootNs();
    return left <= 0 ? 0 : int(left / 1'000'000) + 1;
}

// Most jobs of a busy worker are over before this: a message less for each.
void Supervisor::announce()
{
    while (!m_announcements.empty() && m_announcements.front().dueNs <= bootNs()) {
        if (const Job *const job = find(m_announcements.front().token))
            reply(job->started());
        m_announcements.pop_front();
    }
}

void Supervisor::converse()
{
    flushReplies();
    for (int i = 0; i < requestsPerTurn && readRequest(); ++i) { }
}

// Whether there may be another.
bool Supervisor::readRequest()
{
    const ssize_t got = ::recv(m_control.get(), m_request.data(), m_request.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got <= 0) {
        m_workerGone = true;
        return false;
    }
    std::optional<Request> request = decodeRequest({m_request.data(), std::size_t(got)});
    if (!request) {
        std::fputs("drover-runner: a message that makes no sense; the worker and drover-runner must be of one build\n",
                   stderr);
        m_workerGone = true;
        m_exitCode = 1;
        return false;
    }
    std::visit([this](auto &message) { handle(std::move(message)); }, *request);
    return true;
}

void Supervisor::handle(Start request)
{
    const std::uint32_t lane = request.lane;
    if (m_lanes.enter(request) && !start(std::move(request)))
        follow(lane);
}

// The run in this lane is over: starts the next.
void Supervisor::follow(std::uint32_t lane)
{
    m_lanes.follow(lane, [this](Start next) { return start(std::move(next)); });
}

bool Supervisor::start(Start start)
{
    if (!m_spawner.mayStart()) {
        reply(refusedByLease(start));
        return false;
    }
    auto job = std::make_unique<Job>(std::move(start), m_epoll.get(), m_children);
    if (!job->spawn(m_spawner, m_cgroups)) {
        reply(job->failure());
        return false;
    }
    m_deadlinesChanged |= job->deadline().has_value();
    m_announcements.push_back({bootNs() + announceAfterNs, job->token()});
    m_jobs.emplace(job->token(), std::move(job));
    return true;
}

// A request for a job that is over has crossed its report: nothing to do.
void Supervisor::handle(const Signal &request)
{
    if (Job *const job = find(request.token))
        job->signal(request.number);
}

void Supervisor::handle(const Kill &request)
{
    if (withdraw(request.token))
        return;
    if (Job *const job = find(request.token)) {
        job->kill(request.graceNs);
        m_deadlinesChanged = true;
    }
}

void Supervisor::handle(const Recall &request)
{
    withdraw(request.token);
}

bool Supervisor::withdraw(std::uint64_t token)
{
    const std::optional<Start> waiting = m_lanes.withdraw(token);
    if (waiting)
        reply(withdrawn(*waiting));
    return waiting.has_value();
}

void Supervisor::reap()
{
    signalfd_siginfo ignored;
    [[maybe_unused]] const ssize_t size = ::read(m_childSignals.get(), &ignored, sizeof ignored);
    for (const Death &death : m_children.reap()) {
        const auto job = m_jobs.extract(death.token);
        m_deadlinesChanged |= job.mapped()->deadline().has_value();
        follow(job.mapped()->lane()); // first: the next runs while this one is written up
        reply(job.mapped()->finish(death));
    }
}

void Supervisor::expire()
{
    std::uint64_t ignored;
    [[maybe_unused]] const ssize_t size = ::read(m_timer.get(), &ignored, sizeof ignored);
    const std::int64_t now = bootNs();
    for (const auto &[token, job] : m_jobs) {
        if (job->deadline() && *job->deadline() <= now)
            job->due();
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
    for (const auto &[token, job] : m_jobs)
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

template <typename Message>
void Supervisor::reply(const Message &message)
{
    m_replies.push_back(encode(message));
    if (!m_socketFull)
        flushReplies();
}

void Supervisor::flushReplies()
{
    while (!m_replies.empty()) {
        const std::string &next = m_replies.front();
        if (::send(m_control.get(), next.data(), next.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
            if (errno == EINTR)
                continue;
            break; // full: EPOLLOUT comes; closed: so does the end of the requests
        }
        m_replies.pop_front();
    }
    const bool full = !m_replies.empty();
    if (full != m_socketFull) {
        epoll_event event{.events = EPOLLIN | (full ? unsigned(EPOLLOUT) : 0u), .data = {.ptr = &m_control}};
        ::epoll_ctl(m_epoll.get(), EPOLL_CTL_MOD, m_control.get(), &event);
        m_socketFull = full;
    }
}

void Supervisor::watch(int fd, void *tag)
{
    epoll_event event{.events = EPOLLIN, .data = {.ptr = tag}};
    ::epoll_ctl(m_epoll.get(), EPOLL_CTL_ADD, fd, &event);
}

Job *Supervisor::find(std::uint64_t token) const
{
    const auto found = m_jobs.find(token);
    return found == m_jobs.end() ? nullptr : found->second.get();
}

} // namespace drover::runner
