#include "app/commands/commands.h"
#include "app/context.h"
#include "app/failure.h"
#include "app/guarded_command.h"
#include "async/or_timeout.h"
#include "recipes/mutex.h"

#include <QCoreApplication>
#include <QSysInfo>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

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
    GuardedCommand command(context, *zk, lock.fence(), QStringLiteral("the lock %1").arg(name));
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
