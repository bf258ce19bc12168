#include "app/guarded_command.h"

#include "app/context.h"
#include "app/failure.h"
#include "recipes/until_gone.h"

#include <csignal>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

// The command is killed when so much of the session's certain life is left: the kill itself takes time.
constexpr auto SafetyMargin = 500ms;

} // namespace

GuardedCommand::GuardedCommand(Context &context, zk::Coordinator &zk, const recipes::Fence &fence, QString what)
    : m_context(context), m_zk(zk), m_fence(fence), m_what(std::move(what)), m_command(ChildProcess::Place::Terminal),
      m_guard(context.unixSignals(), [this](int signal) { onSignal(signal); })
{
    m_command.setVariable("DROVER_LOCK", fence.path.bytes());
    m_command.setVariable("DROVER_FENCE", fence.token());
}

async::Task<int> GuardedCommand::run(QByteArrayList command)
{
    const QString trouble = m_command.start(command);
    if (!trouble.isEmpty()) {
        Output::message(QStringLiteral("cannot run %1: %2").arg(QString::fromLocal8Bit(command.front()), trouble));
        co_return ExitCommandNotFound;
    }
    QObject::connect(&m_zk, &zk::Coordinator::stateChanged, &m_watching, [this] { onSessionState(); });
    onSessionState();
    m_background.spawn(killWhenGone());
    co_await m_command.ended();
    if (m_lost.isEmpty())
        co_return m_command.exitCode();
    throw CommandError(
        ExitError,
        QStringLiteral("lost %1 (%2); the command was killed; look at what it left behind").arg(m_what, m_lost));
}

void GuardedCommand::onSessionState()
{
    using State = zk::Coordinator::State;
    m_deadline.cancel();
    if (m_zk.state() == State::Lost)
        kill(QStringLiteral("the ZooKeeper session has ended"));
    else if (m_zk.state() == State::Suspended)
        m_deadline = m_context.loop().after(m_zk.aliveUntil() - SafetyMargin - m_context.loop().now(), [this] {
            kill(QStringLiteral("no ZooKeeper has answered for almost the session time-out"));
        });
}

// Somebody may delete our node by hand, and another may have one of the same name then.
async::Task<void> GuardedCommand::killWhenGone()
{
    try {
        co_await recipes::untilGone(m_zk, m_fence.path, m_fence.czxid);
        kill(QStringLiteral("its znode was deleted"));
    } catch (const zk::SessionLost &) { // onSessionState() has killed it
    }
}

void GuardedCommand::kill(const QString &why)
{
    if (m_lost.isEmpty())
        m_lost = why;
    m_command.signalGroup(SIGKILL);
}

// The first signal is the command's to obey, the second ends both.
void GuardedCommand::onSignal(int signal)
{
    if (std::exchange(m_signalled, true))
        m_guard.passOn(signal);
    else
        m_command.signalGroup(signal);
}

} // namespace drover::app
