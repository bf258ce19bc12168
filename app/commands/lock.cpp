#include "app/commands/commands.h"
#include "app/coordination.h"
#include "app/guarded_command.h"
#include "recipes/read_write_lock.h"

namespace drover::app {

namespace {

// A lock that is never shared is the writers' half of one that may be, so that the two exclude each other; Curator's
// and Drover's Mutex in the same directory wait for it as well.
async::Task<recipes::Lock> acquire(Context &context, recipes::Lockable &lock, Place place)
{
    const Arguments &arguments = context.arguments();
    const QByteArray about = describeUs(arguments.at(1));
    const QString seeHolder = QStringLiteral("drover tree %1 shows who holds it").arg(place.path.toString());
    co_return co_await tryOrWait(
        context, lock.tryAcquire(about), QStringLiteral("%1 is taken; %2").arg(place.what, seeHolder),
        lock.acquire(about),
        QStringLiteral("%1 was not free within %2; %3").arg(place.what, arguments.value("timeout"), seeHolder));
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    requireTryOrTimeout(arguments);
    const Place place = co_await openPlace(context, "lock", &jobs::Layout::lock);
    recipes::ReadWriteLock readWrite(*place.zk, place.path);
    recipes::Lockable &half = arguments.has("shared") ? readWrite.reader() : readWrite.writer();
    const recipes::Lock lock = co_await acquire(context, half, place);
    GuardedCommand command(context, *place.zk, lock.fence(), QStringLiteral("the ") + place.what);
    co_return co_await command.run(arguments.command(1));
}

} // namespace

Command lock()
{
    return {
        .name = "lock",
        .synopsis = "[OPTIONS] NAME -- COMMAND [ARGUMENT...]",
        .summary = "Run a command while holding a lock",
        .details =
            "A flock for many machines. Returns the command's exit code; 124 if the lock was not free in time, 4 if\n"
            "--try found it taken. DROVER_FENCE in the command's environment is a number that is greater for a\n"
            "later holder, DROVER_LOCK the holder's znode.\n\n"
            "The command and all processes that it has started are dead before another can get the lock. A\n"
            "drover-runner kills them when ZooKeeper does not answer for most of the session time-out, and when\n"
            "drover is stopped for so long (Ctrl-Z, SIGSTOP) or killed. What the command leaves running when it\n"
            "ends is killed as well. Two things are out of reach without root: processes of other users (sudo),\n"
            "and, if drover and its drover-runner are killed at the same moment, what the command had started.\n"
            "With --own-pids the kernel kills that as well. What the command has sent to other machines only a\n"
            "comparison of DROVER_FENCE there can stop.\n\n"
            "--path /app/lock shares the lock with programs that use Curator's InterProcessMutex or\n"
            "InterProcessReadWriteLock there.",
        .options = {option("shared", "hold it together with others that share it"),
                    option("try", "give up at once when the lock is taken"), timeoutOption(), pathOption(),
                    GuardedCommand::ownPidsOption()},
        .takes = {{ValueKind::Lock}, {ValueKind::Program}},
        .minArguments = 2,
        .maxArguments = Command::Unlimited,
        .runsHereFrom = 1,
        .run = execute};
}

} // namespace drover::app
