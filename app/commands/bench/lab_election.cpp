#include "app/bench/benches.h"
#include "app/commands/bench/bench_commands.h"
#include "app/lab/lab.h"

namespace drover::app {

namespace {

QString explain(const Figures &figures)
{
    return QStringLiteral("a resignation woke %1 of %2 who stood by: the next in line and the one behind it")
        .arg(figures.value("wakeups").toDouble(), 0, 'f', 1)
        .arg(figures.value("clients").toInt() - 1);
}

async::Task<int> execute(Context &context)
{
    const std::chrono::milliseconds duration = labDuration(context);
    const auto run = [duration](std::vector<zk::Client *> sessions, zk::Path directory) {
        return measureElection(std::move(sessions), {.directory = std::move(directory), .duration = duration});
    };
    Lab lab{labClients(context, 2, 8), run, explain};
    co_return co_await runLab(context, std::move(lab));
}

} // namespace

Command labElection()
{
    return {.name = "lab election",
            .summary = "Watch candidates lead in turn",
            .details = "Each candidate leads for 20 ms, resigns and stands again. Shows the znodes as they change, "
                       "then how long there was no leader between two terms.",
            .options = labOptions("candidates (default: 8)"),
            .examples = {"drover lab election"},
            .run = execute};
}

} // namespace drover::app
