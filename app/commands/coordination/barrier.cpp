#include "recipes/barriers/barrier.h"

#include "app/cluster/coordination.h"
#include "app/commands/commands.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
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
            .run = execute};
}

} // namespace drover::app
