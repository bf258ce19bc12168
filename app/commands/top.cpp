#include "app/commands/commands.h"
#include "app/context.h"
#include "app/top/full_screen.h"
#include "app/top/sample_json.h"
#include "app/top/top_screen.h"
#include "async/first_of.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t MostJobs = 200; // no terminal shows more
constexpr int PlainWidth = 120; // of what is not a terminal
constexpr int PlainHeight = 60;

async::Task<void> refresh(zk::Coordinator &zk, Context &context, FullScreen &screen, async::Duration interval)
{
    std::optional<ClusterSample> before;
    for (;;) {
        try {
            ClusterSample now = co_await takeSample(zk, context.layout(), MostJobs);
            screen.show(topScreen(context.layout().cluster(), now, before, screen.width(), screen.height() - 1)
                        << QStringLiteral("q quits"));
            before = std::move(now);
        } catch (const zk::ConnectionLoss &) {
            screen.show({QStringLiteral("no connection to ZooKeeper; waiting ...")});
        }
        co_await zk.connected();
        co_await async::sleepFor(zk.loop(), interval);
    }
}

async::Task<void> runUntilQuit(zk::Coordinator &zk, Context &context, FullScreen &screen, async::Duration interval)
{
    std::vector<async::Task<void>> parts;
    parts.push_back(refresh(zk, context, screen, interval));
    parts.push_back(screen.quit());
    co_await async::firstOf(zk.loop(), std::move(parts));
}

async::Task<int> execute(Context &context)
{
    const auto interval = context.arguments().duration("interval", 1s);
    zk::Coordinator *const zk = co_await context.openCluster();
    if (!context.out().isTable()) {
        const ClusterSample sample = co_await takeSample(*zk, context.layout(), MostJobs);
        context.out().document(sampleJson(context.layout().cluster(), sample));
        co_return ExitOk;
    }
    if (!context.out().terminal().canBeDrawn) {
        const ClusterSample sample = co_await takeSample(*zk, context.layout(), MostJobs);
        const QStringList lines = topScreen(context.layout().cluster(), sample, std::nullopt, PlainWidth, PlainHeight);
        for (const QString &line : lines)
            context.out().line(line);
        co_return ExitOk;
    }
    FullScreen screen;
    const recipes::SessionBody body = [&](zk::Coordinator &session) {
        return runUntilQuit(session, context, screen, interval);
    };
    co_await context.inEverySession(body);
    co_return ExitOk;
}

} // namespace

Command top()
{
    return {.name = "top",
            .synopsis = "[OPTIONS]",
            .summary = "Watch queues, workers and running jobs in the terminal",
            .details =
                "Reads counters, the members and the claims, never a queue, whatever its length. Written to a file\n"
                "or a pipe it prints one screen and ends; -o json and jsonl print one look at the counters.",
            .options = {option("interval", "time between two looks (default: 1s)", "DURATION")},
            .run = execute};
}

} // namespace drover::app
