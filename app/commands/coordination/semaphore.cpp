#include "recipes/locks/semaphore.h"

#include "app/cluster/command_under_lock.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "recipes/blocks/persistent.h"
#include "recipes/values/counter.h"

namespace drover::app {

namespace {

constexpr int MostPermits = 10'000;

async::Task<recipes::Lease> acquire(Context &context, recipes::Semaphore &semaphore, RecipeNode place)
{
    const Arguments &arguments = context.arguments();
    const QByteArray about = describeUs(arguments.at(1));
    const QString seeHolders = QStringLiteral("drover tree %1 shows who holds it").arg(place.path.toString());
    std::vector<recipes::Lease> leases = co_await tryOrWait(
        context, semaphore.tryAcquire(1, about), QStringLiteral("%1 has no room; %2").arg(place.what, seeHolders),
        semaphore.acquire(1, about),
        QStringLiteral("%1 had no room within %2; %3").arg(place.what, arguments.value("timeout"), seeHolders));
    co_return std::move(leases.front());
}

// The number that drover limit set has said goes for all, jobs that ask for the limit included; without one it is that
// of
// --permits, on which all who use the semaphore agree.
async::Task<recipes::Semaphore::Permits> permitsOf(Context &context, RecipeNode place)
{
    const Arguments &arguments = context.arguments();
    const auto wanted = static_cast<int>(arguments.integer("permits", 1, MostPermits, 0));
    if (!arguments.has("path")) {
        const zk::Path shared = context.layout().permits(arguments.at(0).toUtf8());
        const zk::Answer<zk::Stat> present = co_await recipes::Persistent(*place.zk).exists(shared);
        if (present.ok()) {
            recipes::SharedCount count(*place.zk, shared);
            const int permits = co_await count.get();
            if (wanted > 0 && wanted != permits)
                throw CommandError(ExitWrongState,
                                   QStringLiteral("the limit %1 is %2, not %3: leave --permits out, or change it with "
                                                  "drover limit set %1 %3")
                                       .arg(arguments.at(0))
                                       .arg(permits)
                                       .arg(wanted));
            co_return recipes::Semaphore::Permits(shared);
        }
    }
    if (wanted == 0)
        throw UsageError(QStringLiteral("say how many may hold it at a time: --permits K, all the same number, or once "
                                        "for all drover limit set NAME K"));
    co_return recipes::Semaphore::Permits(wanted);
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    requireTryOrTimeout(arguments);
    const RecipeNode place = co_await openRecipeNode(context, "semaphore", &jobs::Layout::limit);
    co_await recipes::requireOnly(*place.zk, place.path, &recipes::Semaphore::accepts);
    const recipes::Semaphore::Permits permits = co_await permitsOf(context, place);
    recipes::Semaphore semaphore(*place.zk, place.path, permits);
    const recipes::Lease lease = co_await acquire(context, semaphore, place);
    co_await recipes::requireOnly(*place.zk, place.path, &recipes::Semaphore::accepts); // some may have come meanwhile
    CommandUnderLock command(context, *place.zk, lease.fence(), QStringLiteral("the lease of ") + place.what);
    co_return co_await command.run(arguments.command(1));
}

} // namespace

Command semaphore()
{
    return {
        .name = "semaphore",
        .synopsis = "[OPTIONS] [--permits K] NAME -- COMMAND [ARGUMENT...]",
        .summary = "Run a command while fewer than K others of its kind run",
        .details = "Returns the command's exit code, 124 if there was no room in time, 4 if --try found none. K is "
                   "what drover limit set NAME K has said, and jobs with --limit NAME count; without that all who "
                   "use NAME have to say the same --permits K. Fencing and the killing are as in drover lock. "
                   "--path shares the semaphore with Curator's InterProcessSemaphoreV2; then --permits says the "
                   "number, and 1 is Curator's InterProcessSemaphoreMutex. kazoo's Semaphore is refused.",
        .options = {option("permits", "how many may hold it at a time", "K"),
                    option("try", "give up at once when there is no room"), timeoutOption(), pathOption(),
                    CommandUnderLock::ownPidsOption()},
        .takes = {{CompletionKind::Limit}, {CompletionKind::Program}},
        .argumentCount = {2, Command::Unlimited},
        .runsHereFrom = 1,
        .needs = {{trust::Role::Submit}},
        .examples = {"drover semaphore --permits 3 licences -- ./simulate",
                     "drover semaphore licences --try -- ./simulate"},
        .exits =
            QList<Command::ExitMeaning>{{"4", "--try, and there is no room; or drover limit set says another number"},
                                        {"124", "--timeout passed before there was room"}}
            + CommandUnderLock::exits(),
        .run = execute};
}

} // namespace drover::app
