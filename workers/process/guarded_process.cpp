#include "workers/process/guarded_process.h"

#include "posix/files.h"
#include "workers/process/guard_protocol.h"
#include "workers/process/runner_child.h"

#include <cerrno>
#include <cstring>
#include <thread>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover::workers {

using guard::Message;

namespace {

using namespace std::chrono_literals;

// Whether there was anything to kill: not what has become another user's.
bool killChildrenOnce()
{
    bool any = false;
    const std::string self = std::to_string(::getpid());
    for (const pid_t child : posix::numbersIn(posix::contents("/proc/self/task/" + self + "/children")))
        any |= ::kill(child, SIGKILL) == 0 || errno != EPERM;
    while (::waitpid(-1, nullptr, WNOHANG) > 0) { }
    return any;
}

// Children appear as their parents die. What does not die hangs in the kernel, where it does nothing more.
void killOrphans()
{
    const auto until = std::chrono::steady_clock::now() + 5s;
    while (killChildrenOnce() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(2ms);
}

GuardedProcess::End endOf(const Message &message)
{
    using End = GuardedProcess::End;
    const int value = int(message.value);
    if (message.kind == Message::LeasePassed)
        return {End::LeasePassed};
    if (message.kind == Message::Failed)
        return {End::FailedToStart, value};
    if (WIFSIGNALED(value))
        return {End::Signalled, WTERMSIG(value)};
    return {End::Exited, WEXITSTATUS(value)};
}

} // namespace

GuardedProcess::GuardedProcess(const Options &options)
{
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    m_guard = std::make_unique<RunnerChild>(options.program, options.foreground, options.command, options.environment,
                                            options.view);
    if (options.view == ProcessView::Own && !m_guard->ownPids())
        throw RunnerDied("cannot make a pid namespace: that takes root (CAP_SYS_ADMIN)");
    connect(m_guard.get(), &RunnerChild::received, this, &GuardedProcess::onReceived);
    connect(m_guard.get(), &RunnerChild::died, this, &GuardedProcess::onDied);
    setLease(options.lease);
}

GuardedProcess::~GuardedProcess()
{
    m_guard->disconnect(this);
    const bool clean = m_guard->end();
    if (!clean)
        killOrphans();
}

void GuardedProcess::setLease(async::TimePoint until)
{
    send(Message::Lease, until.time_since_epoch().count());
}

void GuardedProcess::signal(int number)
{
    send(Message::Signal, number);
}

void GuardedProcess::resume(bool foreground)
{
    send(Message::Resume, foreground ? 1 : 0);
}

void GuardedProcess::abandon()
{
    if (!m_ended && m_guard->pid() != 0)
        ::kill(m_guard->pid(), SIGKILL); // onDied() comes
}

void GuardedProcess::send(qint64 kind, qint64 value)
{
    if (m_ended || m_guard->pid() == 0)
        return;
    const Message message{.kind = Message::Kind(kind), .value = value};
    m_guard->send(std::string(reinterpret_cast<const char *>(&message), sizeof message));
}

void GuardedProcess::onReceived(std::string_view bytes)
{
    Message message{};
    if (bytes.size() != sizeof message)
        return; // of another build, which sends no more
    std::memcpy(&message, bytes.data(), sizeof message);
    if (message.kind == Message::Stopped)
        Q_EMIT stopped(int(message.value));
    else
        finish(endOf(message));
}

void GuardedProcess::onDied(const QString &reason)
{
    if (m_ended)
        return;
    killOrphans();
    finish({End::GuardDied, 0, reason});
}

void GuardedProcess::finish(const End &end)
{
    if (!std::exchange(m_ended, true))
        Q_EMIT ended(end);
}

} // namespace drover::workers
