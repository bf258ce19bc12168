#include "workers/runner/supervisor.h"

#include "posix/clock.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

namespace drover::runner {

using namespace posix;
using namespace workers::protocol;

namespace {

constexpr int buryingPauseMs = 10;
constexpr int requestsPerPass = 64; // output and deaths have their turn between bursts of starts

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
      m_childSignals(childSignalFd()), m_spawner(usual, lease), m_guard(lease, m_children), m_jobs(m_worker)
{
    watch(m_childSignals.get(), &m_childSignals);
    watch(m_jobs.timer(), &m_jobs);
}

int Supervisor::run()
{
    while (!m_worker.isOver())
        pass();
    killEverything();
    return m_worker.exitCode();
}

// Jobs are destroyed only after their captures and copies of this pass's events have been served.
void Supervisor::pass()
{
    m_jobs.armTimer();
    epoll_event events[64];
    const int patienceMs = m_children.isBurying() ? buryingPauseMs : m_jobs.untilAnnouncementMs();
    const int count = ::epoll_wait(m_epoll.get(), events, std::size(events), patienceMs);
    bool requests = false;
    bool deaths = false;
    bool deadlines = false;
    for (int i = 0; i < count; ++i) {
        void *const tag = events[i].data.ptr;
        if (tag == &m_worker)
            requests = true;
        else if (tag == &m_childSignals)
            deaths = true;
        else if (tag == &m_jobs)
            deadlines = true;
        else
            static_cast<Watched *>(tag)->onReady();
    }
    if (deaths || m_children.isBurying())
        reap();
    if (deadlines)
        m_jobs.expire();
    if (requests)
        converse();
    m_jobs.announce();
}

void Supervisor::converse()
{
    m_worker.flush();
    for (int i = 0; i < requestsPerPass; ++i) {
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
    m_jobs.add(std::move(job));
    return true;
}

// A request for a job that is over has crossed its report: nothing to do.
void Supervisor::handle(const Signal &request)
{
    if (Job *const job = m_jobs.find(request.runId))
        job->signal(request.number);
}

void Supervisor::handle(const Kill &request)
{
    if (!withdraw(request.runId))
        m_jobs.kill(request.runId, request.graceNs);
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
        if (Job *const job = m_jobs.find(death.runId)) {
            job->helperDied(death);
            m_jobs.finishIfOver(*job);
        }
    }
    for (const Death &death : over) {
        Job &job = *m_jobs.find(death.runId);
        follow(job.slotQueue()); // first: the next runs while this one is written up
        job.treeEnded(death);
        m_jobs.finishIfOver(job);
    }
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

} // namespace drover::runner
