#include "app/cluster/command_under_lock.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"

namespace drover::app {

namespace {

constexpr std::chrono::milliseconds UsualGrace{10'000};

// The locks that a directory may be used for. Curator's two recipes do not see each other, so each refuses a directory
// that holds nodes of the other one: a first look leaves no node of ours behind, and the line looks again.
class LockAt
{
public:
    LockAt(zk::Client &zk, const zk::Path &path)
        : m_mutex(zk, path, recipes::Mutex::curator(), recipes::Strangers::Refuse),
          m_readWrite(zk, path, recipes::Strangers::Refuse)
    {
    }

    // A named lock is always a read-write lock: jobs may share it.
    static bool isReadWrite(const Arguments &arguments)
    {
        return arguments.has("shared") || arguments.has("write") || !arguments.has("path");
    }

    recipes::Lockable &asked(const Arguments &arguments)
    {
        if (!isReadWrite(arguments))
            return m_mutex;
        return arguments.has("shared") ? m_readWrite.reader() : m_readWrite.writer();
    }

private:
    recipes::Mutex m_mutex;
    recipes::ReadWriteLock m_readWrite;
};

async::Task<recipes::Lock> acquire(Context &context, recipes::Lockable &lock, RecipeNode place)
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
    if (arguments.has("shared") && arguments.has("write"))
        throw UsageError(QStringLiteral("--shared reads and --write writes: give one of them"));
    if (arguments.has("grace") && !arguments.has("revocable"))
        throw UsageError(QStringLiteral("--grace is the time of a command that is asked to end: it needs --revocable"));
    const RecipeNode place = co_await openRecipeNode(context, "lock", &jobs::Layout::lock);
    const auto accepts = LockAt::isReadWrite(arguments) ? &recipes::ReadWriteLock::accepts : &recipes::Mutex::accepts;
    co_await recipes::requireOnly(*place.zk, place.path, accepts);
    LockAt lockAt(*place.zk, place.path);
    const recipes::Lock lock = co_await acquire(context, lockAt.asked(arguments), place);
    CommandUnderLock command(context, *place.zk, lock.fence(), QStringLiteral("the ") + place.what);
    if (arguments.has("revocable"))
        command.setRevocable(arguments.duration("grace", UsualGrace));
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
            "A flock for many machines. Returns the command's exit code; 124 if the lock was not free in time, 4 if "
            "--try found it taken. DROVER_FENCE in the command's environment is a number that is greater for a later "
            "holder, DROVER_LOCK the holder's znode. A lock in a lock may wait for ever for another process that takes "
            "both the other way round: the console names such a deadlock, by DROVER_LOCK_OWNER.\n\n"
            "The command and all processes that it has started are dead before another can get the lock. A "
            "drover-runner kills them when ZooKeeper does not answer for most of the session time-out, and when drover "
            "is stopped for so long (Ctrl-Z, SIGSTOP) or killed. What the command leaves running when it ends is "
            "killed as well. Two things are out of reach: processes of other users (sudo), unless drover runs as root; "
            "and, if drover and its drover-runner are killed at the same moment, or one of them while the other is "
            "stopped, what the command had started in turn. With --own-pids, which takes root, the kernel kills that "
            "as well. What the command has sent to other machines only a comparison of DROVER_FENCE there can stop.\n\n"
            "A named lock is a read-write lock, and jobs with --lock or --lock-shared NAME are in its line. --path "
            "/app/lock excludes Curator's InterProcessMutex there, and kazoo's Lock if that was given "
            "extra_lock_patterns=[\"-lock-\"]. With --write or --shared it is an InterProcessReadWriteLock. These two "
            "do not see each other, so a znode that is in use as the other one is refused with exit code 2.\n\n"
            "With --revocable another client may ask for the lock: by \"Ask to let go\" in drover-console, or by "
            "Curator's Revoker. The command then gets SIGTERM, and its exit code is returned as always. After the "
            "--grace it is killed, with exit code 1. Without --revocable the request is not obeyed.",
        .options = {option("shared", "hold it together with others that share it"),
                    option("write", "hold it alone, in one line with those that share it (default of a NAME)"),
                    option("try", "give up at once when the lock is taken"), timeoutOption(), pathOption(),
                    option("revocable", "end the command when another client asks for the lock"),
                    option("grace", "with --revocable: time between SIGTERM and SIGKILL (default: 10s)", "DURATION"),
                    CommandUnderLock::ownPidsOption()},
        .takes = {{CompletionKind::Lock}, {CompletionKind::Program}},
        .argumentCount = {2, Command::Unlimited},
        .runsHereFrom = 1,
        .needs = {{trust::Role::Submit}},
        .examples = {"drover lock backup -- rsync -a /srv /backup",
                     "drover lock --shared db --timeout 10m -- pg_dump -f today.sql"},
        .exits = QList<Command::ExitMeaning>{{"4", "--try, and the lock is taken"},
                                             {"124", "--timeout passed before the lock was free"}}
            + CommandUnderLock::exits(),
        .run = execute};
}

} // namespace drover::app
