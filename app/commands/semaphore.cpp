#include "recipes/semaphore.h"

#include "app/commands/commands.h"
#include "app/coordination.h"
#include "app/guarded_command.h"

namespace drover::app {

namespace {

constexpr int MostPermits = 10'000;

async::Task<recipes::Lease> acquire(Context &context, recipes::Semaphore &semaphore, Place place)
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

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    requireTryOrTimeout(arguments);
    if (!arguments.has("permits"))
        throw UsageError(QStringLiteral("say how many may hold it at a time, all the same number: --permits K"));
    const auto permits = static_cast<int>(arguments.integer("permits", 1, MostPermits, 1));
    const Place place = co_await openPlace(context, "semaphore", &jobs::Layout::limit);
    recipes::Semaphore semaphore(*place.zk, place.path, permits);
    const recipes::Lease lease = co_await acquire(context, semaphore, place);
    GuardedCommand command(context, *place.zk, lease.fence(), QStringLiteral("the lease of ") + place.what);
    co_return co_await command.run(arguments.positional().mid(1));
}

} // namespace

Command semaphore()
{
    return {.name = "semaphore",
            .synopsis = "[OPTIONS] --permits K NAME -- COMMAND [ARGUMENT...]",
            .summary = "Run a command while at most K others of its kind run",
            .details = "Returns the command's exit code, 124 if there was no room in time, 4 if --try found none. All\n"
                       "who use NAME have to name the same K. Fencing and loss are as in drover lock. --path shares\n"
                       "the semaphore with Curator's InterProcessSemaphoreV2.",
            .options = {option("permits", "how many may hold it at a time", "K"),
                        option("try", "give up at once when there is no room"), timeoutOption(), pathOption()},
            .takes = {{ValueKind::Limit}, {ValueKind::Program}},
            .minArguments = 2,
            .maxArguments = Command::Unlimited,
            .run = execute};
}

} // namespace drover::app
