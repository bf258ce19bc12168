#include "app/child_process.h"
#include "app/commands/commands.h"
#include "app/context.h"
#include "app/failure.h"
#include "async/or_timeout.h"
#include "async/task_group.h"
#include "recipes/mutex.h"
#include "recipes/persist.h"

#include <QCoreApplication>
#include <QSysInfo>

#include <csignal>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

// The command is killed when so much of the session's certain life is left: the kill itself takes time.
constexpr auto SafetyMargin = 500ms;

async::Task<recipes::Lock> acquire(Context &context, zk::Coordinator &zk, zk::Path directory)
{
    const Arguments &arguments = context.arguments();
    const QString name = QString::fromUtf8(directory.name());
    const QByteArray about = QStringLiteral("%1 process %2: %3")
                                 .arg(QSysInfo::machineHostName())
                                 .arg(QCoreApplication::applicationPid())
                                 .arg(arguments.at(1))
                                 .toUtf8();
    recipes::Mutex mutex(zk, directory);
    if (arguments.has("try")) {
        std::optional<recipes::Lock> lock = co_await mutex.tryAcquire(about);
        if (!lock)
            throw CommandError(ExitWrongState,
                               QStringLiteral("lock %1 is taken; drover tree locks/%1 shows by whom").arg(name));
        co_return std::move(*lock);
    }
    if (!arguments.has("timeout")) {
        recipes::Lock lock = co_await mutex.acquire(about);
        co_return lock;
    }
    try {
        recipes::Lock lock =
            co_await async::orTimeout(context.loop(), mutex.acquire(about), arguments.duration("timeout", 0ms));
        co_return lock;
    } catch (const async::Timeout &) {
    }
    throw CommandError(ExitTimeout,
                       QStringLiteral("lock %1 was not free within %2; drover tree locks/%1 shows who holds it")
                           .arg(name, arguments.value("timeout")));
}

// The command that runs under the lock. It is killed before another can have the lock.
class GuardedCommand
{
public:
    GuardedCommand(Context &context, zk::Coordinator &zk, const recipes::Fence &fence)
        : m_context(context), m_zk(zk), m_fence(fence), m_command(ChildProcess::Place::Terminal),
          m_guard(context.unixSignals(), [this](int signal) { onSignal(signal); })
    {
        m_command.setVariable("DROVER_LOCK", fence.path.bytes());
        m_command.setVariable("DROVER_FENCE", fence.token());
    }

    async::Task<int> run(QStringList command)
    {
        const QString program = command.takeFirst();
        const QString trouble = m_command.start(program, command);
        if (!trouble.isEmpty()) {
            Output::message(QStringLiteral("cannot run %1: %2").arg(program, trouble));
            co_return ExitCommandNotFound;
        }
        const QMetaObject::Connection watching =
            QObject::connect(&m_zk, &zk::Coordinator::stateChanged, &m_zk, [this] { onSessionState(); });
        onSessionState();
        m_background.spawn(watchNode());
        co_await m_command.ended();
        QObject::disconnect(watching);
        if (m_lost.isEmpty())
            co_return m_command.exitCode();
        throw CommandError(ExitError,
                           QStringLiteral("lost the lock %1 (%2); the command was killed; look at what it left behind")
                               .arg(m_fence.path.toString(), m_lost));
    }

private:
    void onSessionState()
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

    // Somebody may delete our node by hand.
    async::Task<void> watchNode()
    {
        try {
            for (;;) {
                zk::Watch watch;
                const auto look = [&] { return m_zk.exists(m_fence.path, watch); };
                const zk::Answer<zk::Stat> stat = co_await recipes::persist(m_zk, look);
                if (!stat.ok())
                    break;
                const async::Future<zk::WatchEvent> changed = watch.fired();
                co_await changed;
            }
            kill(QStringLiteral("its znode was deleted"));
        } catch (const zk::SessionLost &) { // onSessionState() has killed it
        }
    }

    void kill(const QString &why)
    {
        if (m_lost.isEmpty())
            m_lost = why;
        m_command.signalGroup(SIGKILL);
    }

    // The first signal is the command's to obey, the second ends both.
    void onSignal(int signal)
    {
        if (std::exchange(m_signalled, true))
            m_guard.passOn(signal);
        else
            m_command.signalGroup(signal);
    }

    Context &m_context;
    zk::Coordinator &m_zk;
    recipes::Fence m_fence;
    QString m_lost; // why, once it is so
    bool m_signalled = false;
    async::Timer m_deadline;
    ChildProcess m_command;
    UnixSignals::Guard m_guard;
    async::TaskGroup m_background;
};

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString name = arguments.at(0);
    if (!jobs::isValidLockName(name))
        throw UsageError(QStringLiteral("\"%1\" is no lock's name; use 1 to 64 letters, digits and . _ -").arg(name));
    if (arguments.has("try") && arguments.has("timeout"))
        throw UsageError(QStringLiteral("--try does not wait: give it or --timeout, not both"));
    const std::chrono::milliseconds checked = arguments.duration("timeout", 0ms);
    Q_UNUSED(checked)

    zk::Coordinator *const zk = co_await context.openCluster();
    const recipes::Lock lock = co_await acquire(context, *zk, context.layout().lock(name.toLatin1()));
    GuardedCommand command(context, *zk, lock.fence());
    const int code = co_await command.run(arguments.positional().mid(1));
    co_return code;
}

} // namespace

Command lock()
{
    return {
        .name = "lock",
        .synopsis = "[OPTIONS] NAME -- COMMAND [ARGUMENT...]",
        .summary = "Run a command while holding a lock of the cluster",
        .details =
            "A flock for many machines. Returns the command's exit code; 124 if the lock was not free in time, 4 if\n"
            "--try found it taken. DROVER_FENCE in the command's environment is a number that is greater for a\n"
            "later holder, DROVER_LOCK the holder's znode. When ZooKeeper does not answer for so long that another\n"
            "might get the lock, the command's process group is killed.",
        .options = {option("timeout", "give up when the lock is not free after so long", "DURATION"),
                    option("try", "give up at once when the lock is taken")},
        .minArguments = 2,
        .maxArguments = Command::Unlimited,
        .run = execute};
}

} // namespace drover::app
