#include "app/cluster/command_under_lock.h"

#include "app/cli/arguments.h"
#include "app/cli/failure.h"
#include "app/environment/child_process.h"
#include "app/environment/context.h"
#include "async/loop.h"
#include "recipes/blocks/ticket.h"
#include "recipes/blocks/until_gone.h"
#include "recipes/locks/outer_owners.h"
#include "recipes/locks/revocation.h"
#include "text/quantity.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include <unistd.h>

namespace drover::app {

using workers::GuardedProcess;

namespace {

using namespace std::chrono_literals;

// To be called from a background group as well, which is stopped by SIGTTOU otherwise.
void giveTerminalTo(pid_t group)
{
    const auto previous = ::signal(SIGTTOU, SIG_IGN);
    ::tcsetpgrp(STDIN_FILENO, group);
    ::signal(SIGTTOU, previous);
}

// What is kept back of a session's certain life: the kill takes time.
async::Duration marginOf(const zk::Client &zk)
{
    return zk.sessionTimeout() / 10;
}

} // namespace

CommandUnderLock::CommandUnderLock(Context &context, zk::Client &zk, const recipes::Fence &fence, QString what)
    : m_context(context), m_zk(zk), m_fence(fence), m_what(std::move(what)),
      m_guard(context.unixSignals(), [this](int signal) { onSignal(signal); })
{
    setVariable("DROVER_LOCK", fence.path.bytes());
    setVariable("DROVER_FENCE", fence.token());
    QList<recipes::OuterOwner> owners = recipes::parseOwners(qgetenv(recipes::OwnersVariable));
    owners.append(recipes::OuterOwner{fence.session});
    setVariable(recipes::OwnersVariable, recipes::encodeOwners(owners));
}

CommandUnderLock::~CommandUnderLock()
{
    m_process.reset();
    takeTerminalBack();
}

QList<Command::ExitMeaning> CommandUnderLock::exits()
{
    return {{"1", "an error; or what was held was lost, and the command killed"},
            {"126", "the command cannot be executed"},
            {"127", "the command was not found"},
            {"N", "the command's own; 128 + N when signal N ended it"}};
}

QCommandLineOption CommandUnderLock::ownPidsOption()
{
    return option("own-pids",
                  "run COMMAND in a pid namespace, so that the kernel kills all that it started; takes root");
}

void CommandUnderLock::setVariable(const char *name, const QByteArray &value)
{
    m_variables.append(name + QByteArrayLiteral("=") + value);
}

async::Task<int> CommandUnderLock::run(QByteArrayList command)
{
    start(command);
    QObject::connect(&m_zk, &zk::Client::stateChanged, &m_watching, [this] { onSessionState(); });
    onSessionState();
    m_background.spawn(keepLease());
    m_background.spawn(killWhenGone());
    if (m_grace)
        m_background.spawn(endWhenAsked(*m_grace));
    co_await m_ended.wait();
    takeTerminalBack();
    co_return result(command.front());
}

void CommandUnderLock::start(const QByteArrayList &command)
{
    const bool ownPids = m_context.arguments().has("own-pids");
    m_process.emplace(
        GuardedProcess::Options{.command = command,
                                .environment = environmentWith(m_variables),
                                .lease = m_zk.aliveUntil() - marginOf(m_zk),
                                .foreground = lendTerminal(),
                                .view = ownPids ? workers::ProcessView::Own : workers::ProcessView::Machine});
    QObject::connect(&*m_process, &GuardedProcess::stopped, &m_watching, [this](int signal) { onStopped(signal); });
    QObject::connect(&*m_process, &GuardedProcess::ended, &m_watching, [this](const End &end) {
        m_end = end;
        m_ended.set();
    });
}

// The guard obeys it. One that still has not when half of the margin is gone hangs, and is killed with the command.
async::Task<void> CommandUnderLock::keepLease()
{
    for (;;) {
        const async::Duration margin = marginOf(m_zk);
        const async::TimePoint until = m_lost.isEmpty() ? m_zk.aliveUntil() - margin : async::TimePoint();
        m_process->setLease(until);
        const async::Duration left = until + margin / 2 - m_context.loop().now();
        if (left <= 0s)
            m_process->abandon();
        const async::Duration pause = left > 0s ? std::min(left, margin) : margin;
        co_await async::sleepFor(m_context.loop(), pause);
    }
}

// Our node may be deleted by hand, and another client may then have a node of that name.
async::Task<void> CommandUnderLock::killWhenGone()
{
    try {
        co_await recipes::untilGone(m_zk, m_fence.path, m_fence.czxid);
        kill(QStringLiteral("its znode was deleted"));
    } catch (const zk::SessionLost &) { // onSessionState() has killed it
    }
}

// A command that is stopped cannot obey SIGTERM; after the grace it is killed all the same.
async::Task<void> CommandUnderLock::endWhenAsked(std::chrono::milliseconds grace)
{
    try {
        co_await recipes::revocationAsked(m_zk, m_fence);
    } catch (const zk::SessionLost &) { // onSessionState() has killed it
        co_return;
    } catch (const recipes::TicketRevoked &) { // killWhenGone() has
        co_return;
    }
    Output::message(QStringLiteral("another client asks for %1: the command gets SIGTERM").arg(m_what));
    m_process->signal(SIGTERM);
    co_await async::sleepFor(m_context.loop(), grace);
    kill(QStringLiteral("another client asked for it, and the command had not ended %1 after SIGTERM")
             .arg(text::formatDuration(grace)));
}

void CommandUnderLock::onSessionState()
{
    if (m_zk.state() == zk::Client::State::Lost)
        kill(QStringLiteral("the ZooKeeper session has ended"));
}

void CommandUnderLock::kill(const QString &why)
{
    if (m_lost.isEmpty())
        m_lost = why;
    m_process->setLease({});
}

// The first signal is the command's to obey, the second ends both.
void CommandUnderLock::onSignal(int signal)
{
    if (std::exchange(m_signalled, true) || !m_process)
        m_guard.passOn(signal);
    else
        m_process->signal(signal);
}

// By the terminal: then the shell, which waits for this process, has to see it stopped as well. SIGTSTP goes to the
// whole job of the shell, and stops nothing where no shell could continue it.
void CommandUnderLock::onStopped(int signal)
{
    const bool byTerminal = ::isatty(STDIN_FILENO) && signal != SIGSTOP;
    if (!m_lentTerminal && !byTerminal)
        return; // by hand; so will it be continued
    takeTerminalBack();
    const auto left = std::chrono::ceil<std::chrono::seconds>(m_zk.aliveUntil() - m_context.loop().now());
    Output::hint(QStringLiteral("stopped; %1 is lost, and the command killed, unless it is continued within %2 s")
                     .arg(m_what)
                     .arg(left.count() > 0 ? left.count() : 0));
    ::kill(0, SIGTSTP);
    m_process->resume(lendTerminal());
}

int CommandUnderLock::result(const QByteArray &program) const
{
    const QString consequence = QStringLiteral("the command was killed; check the results that it left");
    if (m_end->how == End::FailedToStart) {
        Output::message(QStringLiteral("cannot run %1: %2")
                            .arg(QString::fromLocal8Bit(program), QString::fromLocal8Bit(std::strerror(m_end->value))));
        return m_end->value == ENOENT ? ExitCommandNotFound : ExitCommandNotExecutable;
    }
    if (m_end->how == End::GuardDied && m_lost.isEmpty())
        throw CommandError(ExitError, QStringLiteral("%1; %2").arg(m_end->reason, consequence));
    if (m_end->how == End::LeasePassed || m_end->how == End::GuardDied || !m_lost.isEmpty()) {
        const QString why = m_lost.isEmpty()
            ? QStringLiteral("no ZooKeeper has answered, or drover stood still, for almost the session time-out")
            : m_lost;
        throw CommandError(ExitError, QStringLiteral("lost %1 (%2); %3").arg(m_what, why, consequence));
    }
    return m_end->how == End::Signalled ? ExitSignalBase + m_end->value : m_end->value;
}

// Whether we had it to lend.
bool CommandUnderLock::lendTerminal()
{
    m_lentTerminal = ::isatty(STDIN_FILENO) && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
    return m_lentTerminal;
}

void CommandUnderLock::takeTerminalBack()
{
    if (std::exchange(m_lentTerminal, false))
        giveTerminalTo(::getpgrp());
}

} // namespace drover::app
