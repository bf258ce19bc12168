#include "workers/runner/guard.h"

#include "posix/clock.h"
#include "posix/pipe.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover::runner {

using namespace posix;

namespace {

constexpr std::uint64_t commandToken = 1; // the command's name among the children
constexpr int buryingPauseMs = 10;
constexpr timespec killAgainAfter{.tv_sec = 0, .tv_nsec = 20'000'000};
constexpr int notExecuted = 127; // the pipe says why

sigset_t watchedSignals()
{
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    ::sigaddset(&set, SIGCONT);
    return set;
}

} // namespace

Guard::Guard(FileDescriptor control, bool foreground, char *const *command)
    : m_control(std::move(control)), m_command(command), m_foreground(foreground)
{
    for (std::size_t i = 0; i < Ignored.size(); ++i)
        m_before[i] = ::signal(Ignored[i], SIG_IGN);
    const sigset_t watched = watchedSignals();
    ::sigprocmask(SIG_SETMASK, &watched, nullptr); // all were blocked until now
    m_signals = FileDescriptor(::signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC));
    ::setpgid(0, 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigevent wake{};
    wake.sigev_notify = SIGEV_SIGNAL;
    wake.sigev_signo = SIGCONT;
    ::timer_create(CLOCK_BOOTTIME, &wake, &m_leaseTimer);
}

int Guard::run()
{
    while (!m_isOver && !m_clientGone)
        pass();
    if (!m_isOver)
        killEverything();
    return 0;
}

void Guard::pass()
{
    pollfd events[]{{.fd = m_control.get(), .events = POLLIN, .revents = 0},
                    {.fd = m_signals.get(), .events = POLLIN, .revents = 0}};
    ::poll(events, std::size(events), m_children.isBurying() ? buryingPauseMs : -1);
    signalfd_siginfo seen[8];
    while (::read(m_signals.get(), seen, sizeof seen) > 0) { }
    converse(); // before the lease is judged
    noticeStop();
    if (m_pid != 0 && leasePassed())
        m_children.killAll();
    reap();
}

void Guard::converse()
{
    Message order{};
    for (;;) {
        const ssize_t got = ::recv(m_control.get(), &order, sizeof order, MSG_DONTWAIT);
        if (got == ssize_t(sizeof order))
            obey(order);
        else if (got >= 0 || (errno != EAGAIN && errno != EINTR))
            m_clientGone = true;
        if (got <= 0 && errno != EINTR)
            return;
        if (m_clientGone)
            return;
    }
}

void Guard::obey(const Message &order)
{
    switch (order.kind) {
    case Message::Lease:
        setLease(order.value);
        if (m_pid == 0)
            start();
        break;
    case Message::Signal:
        m_children.signal(commandToken, int(order.value));
        break;
    case Message::Resume:
        if (order.value != 0)
            ::tcsetpgrp(STDIN_FILENO, m_pid);
        m_children.signal(commandToken, SIGCONT);
        break;
    default:
        m_clientGone = true; // it is of another build
    }
}

void Guard::setLease(std::int64_t until)
{
    m_lease = until;
    // The instant 0 would disarm the timer.
    const itimerspec due{.it_interval = killAgainAfter, .it_value = toTimespec(std::max<std::int64_t>(until, 1))};
    ::timer_settime(m_leaseTimer, TIMER_ABSTIME, &due, nullptr);
}

bool Guard::leasePassed() const
{
    return bootNs() >= m_lease;
}

void Guard::start()
{
    Pipe pipe = Pipe::make();
    if (!pipe)
        return report(Message::Failed, errno);
    m_execution = std::move(pipe.reader);
    const FileDescriptor reportEnd = std::move(pipe.writer);
    const pid_t guard = ::getpid();
    sigset_t all; // a signal to the command waits until the command can take it: the guard ignores most of them
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    const pid_t pid = ::fork();
    if (pid == 0)
        becomeCommand(guard, reportEnd.get());
    const int error = errno;
    const sigset_t watched = watchedSignals();
    ::sigprocmask(SIG_SETMASK, &watched, nullptr);
    if (pid < 0)
        return report(Message::Failed, error);
    ::setpgid(pid, pid);
    m_pid = pid;
    m_children.add(
        commandToken, [pid] { return pid; }, {}, nullptr);
}

void Guard::becomeCommand(pid_t guard, int report) const
{
    ::setpgid(0, 0);
    if (m_foreground)
        ::tcsetpgrp(STDIN_FILENO, ::getpid()); // SIGTTOU is still ignored
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != guard)
        ::_exit(notExecuted); // it died before the line above
    for (std::size_t i = 0; i < Ignored.size(); ++i)
        ::signal(Ignored[i], m_before[i]);
    ::signal(SIGPIPE, SIG_DFL); // the client may ignore it for itself
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    errno = ETIME;
    if (!leasePassed())
        ::execvp(m_command[0], m_command);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
    ::_exit(notExecuted);
}

void Guard::noticeStop()
{
    siginfo_t stop{};
    if (m_pid != 0 && ::waitid(P_PID, id_t(m_pid), &stop, WSTOPPED | WNOHANG) == 0 && stop.si_pid == m_pid)
        report(Message::Stopped, stop.si_status);
}

void Guard::reap()
{
    for (const Death &death : m_children.reap()) {
        int error = 0; // the child has died or has executed something: nothing to wait for
        const bool failed = ::read(m_execution.get(), &error, sizeof error) == ssize_t(sizeof error);
        if (death.killedByLease || (failed && error == ETIME))
            report(Message::LeasePassed, 0);
        else if (failed)
            report(Message::Failed, error);
        else
            report(Message::Ended, death.status);
    }
}

// The socket takes what few messages there are.
void Guard::report(Message::Kind kind, std::int64_t value)
{
    const Message message{.kind = kind, .value = value};
    ::send(m_control.get(), &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL);
    m_isOver = kind != Message::Stopped;
}

// The client has gone: it waits for nothing, and nothing else is left to do here.
void Guard::killEverything()
{
    const sigset_t watched = watchedSignals();
    while (m_children.killAll()) {
        m_children.reap();
        siginfo_t ignored;
        if (::waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) != 0)
            return; // no child is left
        ::sigtimedwait(&watched, nullptr, &killAgainAfter);
    }
}

} // namespace drover::runner
