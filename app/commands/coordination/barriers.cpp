#include "app/cluster/command_under_lock.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "recipes/barriers/barrier.h"
#include "recipes/barriers/double_barrier.h"

namespace drover::app {

namespace {

async::Task<int> useBarrier(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString verb = arguments.at(1);
    const RecipeNode place = co_await openRecipeNode(context, "barrier", &jobs::Layout::barrier);
    co_await recipes::requireOnly(*place.zk, place.path, &recipes::Barrier::accepts);
    recipes::Barrier barrier(*place.zk, place.path);
    if (verb == u"close")
        co_await barrier.close();
    else if (verb == u"open")
        co_await barrier.open();
    else
        co_await withinTimeout(
            context, barrier.wait(),
            QStringLiteral("%1 was not opened within %2").arg(place.what, arguments.value("timeout")));
    co_return ExitOk;
}

constexpr int MostMembers = 10'000;

async::Task<int> runBetweenBarriers(Context &context)
{
    const Arguments &arguments = context.arguments();
    if (!arguments.has("count"))
        throw UsageError(QStringLiteral("say how many begin together: --count N"));
    const auto count = static_cast<int>(arguments.integer("count", 1, MostMembers, 1));
    const RecipeNode place = co_await openRecipeNode(context, "double barrier", &jobs::Layout::doubleBarrier);
    co_await recipes::requireOnly(*place.zk, place.path, &recipes::DoubleBarrier::accepts);
    recipes::DoubleBarrier barrier(*place.zk, place.path, count);
    recipes::BarrierEntry entry =
        co_await withinTimeout(context, barrier.enter(describeUs(arguments.at(1))),
                               QStringLiteral("fewer than %1 came to %2 within %3; drover tree %4 shows who did")
                                   .arg(count)
                                   .arg(place.what, arguments.value("timeout"), place.path.toString()));
    int code = ExitOk;
    {
        CommandUnderLock command(context, *place.zk, entry.fence(), QStringLiteral("the place in ") + place.what);
        code = co_await command.run(arguments.command(1));
    }
    co_await entry.leave();
    co_return code;
}

} // namespace

Command barrier()
{
    return {.name = "barrier",
            .synopsis = "[OPTIONS] NAME wait|open|close",
            .summary = "Wait until a barrier is open, or open or close one",
            .details = "A barrier is open until it is closed; it stays closed when the client that closed it has gone. "
                       "--path shares it with Curator's DistributedBarrier and kazoo's Barrier.",
            .options = {timeoutOption(), pathOption()},
            .verbs = {{QStringLiteral("wait"), {QStringLiteral("timeout")}},
                      {QStringLiteral("open"), {}, "drover tree"},
                      {QStringLiteral("close"), {}, "drover tree"}},
            .takes = {{CompletionKind::Barrier}, {}},
            .needs = {{trust::Role::Viewer, QStringLiteral("wait")}, {trust::Role::Submit}},
            .examples = {"drover barrier release close", "drover barrier release wait --timeout 1h"},
            .exits = {{"124", "--timeout passed before it was open"}},
            .run = useBarrier};
}

Command doubleBarrier()
{
    return {.name = "double-barrier",
            .synopsis = "[OPTIONS] --count N NAME -- COMMAND [ARGUMENT...]",
            .summary = "Begin a command together with N - 1 others, and end together",
            .details = "Waits until N have come, runs the command, waits until the commands of all have ended. Returns "
                       "the command's exit code, 124 if the others did not come in time. A command is killed as in "
                       "drover lock. Who is late finds the others running and begins at once. --path shares it with "
                       "Curator's DistributedDoubleBarrier.",
            .options = {option("count", "how many begin together", "N"), timeoutOption(), pathOption(),
                        CommandUnderLock::ownPidsOption()},
            .takes = {{CompletionKind::DoubleBarrier}, {CompletionKind::Program}},
            .argumentCount = {2, Command::Unlimited},
            .runsHereFrom = 1,
            .needs = {{trust::Role::Submit}},
            .check = "drover tree",
            .examples = {"drover double-barrier --count 4 step -- ./phase"},
            .exits = QList<Command::ExitMeaning>{{"124", "--timeout passed before all had come"}}
                + CommandUnderLock::exits(),
            .run = runBetweenBarriers};
}

} // namespace drover::app
