#include "app/bench/benches.h"
#include "app/commands/bench/bench_commands.h"
#include "app/lab/lab.h"

namespace drover::app {

namespace {

QString explain(const Figures &figures)
{
    return QStringLiteral(
               "each of %1 members was woken %2 times in a round: the barrier wakes everybody once, who leaves "
               "only one")
        .arg(figures.value("clients").toInt())
        .arg(figures.value("wakeups").toDouble(), 0, 'f', 1);
}

async::Task<int> execute(Context &context)
{
    const std::chrono::milliseconds duration = labDuration(context);
    const auto run = [duration](std::vector<zk::Client *> sessions, zk::Path directory) {
        return measureBarrier(std::move(sessions), {.directory = std::move(directory), .duration = duration});
    };
    Lab lab{labClients(context, 1, 8), run, explain};
    co_return co_await runLab(context, std::move(lab));
}

} // namespace

Command labBarrier()
{
    return {.name = "lab barrier",
            .summary = "Watch sessions enter and leave a double barrier together",
            .details = "Shows the znodes as they change, then how long the last one to come waits until all are in.",
            .options = labOptions("members (default: 8)"),
            .examples = {"drover lab barrier"},
            .run = execute};
}

} // namespace drover::app
