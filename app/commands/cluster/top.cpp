#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/top/full_screen.h"
#include "app/top/top_screen.h"
#include "async/first_of.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t MostJobs = 200; // no terminal shows more
constexpr int PlainWidth = 120; // of what is not a terminal
constexpr int PlainHeight = 60;

async::Task<void> refresh(jobs::Cluster cluster, FullScreen &screen, async::Duration interval)
{
    std::optional<ClusterSample> before;
    for (;;) {
        try {
            ClusterSample now = co_await takeSample(cluster, MostJobs);
            screen.show(topScreen(cluster.layout.clusterName(), now, before, screen.width(), screen.height() - 1)
                        << QStringLiteral("q quits"));
            before = std::move(now);
        } catch (const zk::ConnectionLoss &) {
            screen.show({QStringLiteral("no connection to ZooKeeper; waiting ...")});
        }
        co_await cluster.zk.connected();
        co_await async::sleepFor(cluster.zk.loop(), interval);
    }
}

async::Task<void> runUntilQuit(jobs::Cluster cluster, FullScreen &screen, async::Duration interval)
{
    co_await async::firstOf(cluster.zk.loop(), refresh(cluster, screen, interval), screen.quit());
}

async::Task<int> execute(Context &context)
{
    const auto interval = context.arguments().duration("interval", 1s);
    const jobs::Cluster cluster = co_await context.openCluster();
    if (!context.out().isTable()) {
        const ClusterSample sample = co_await takeSample(cluster, MostJobs);
        context.out().document(sampleJson(cluster.layout.clusterName(), sample));
        co_return ExitOk;
    }
    if (!context.out().terminal().canBeDrawn) {
        const ClusterSample sample = co_await takeSample(cluster, MostJobs);
        const QStringList lines =
            topScreen(cluster.layout.clusterName(), sample, std::nullopt, PlainWidth, PlainHeight);
        for (const QString &line : lines)
            context.out().line(line);
        co_return ExitOk;
    }
    FullScreen screen;
    const recipes::SessionBody body = [&](zk::Client &session) {
        return runUntilQuit(jobs::Cluster(session, cluster.layout, cluster.credentials), screen, interval);
    };
    co_await context.inEverySession(body);
    co_return ExitOk;
}

} // namespace

Command top()
{
    return {.name = "top",
            .summary = "Watch queues, workers and running jobs in the terminal",
            .details =
                "Reads counters, the members and the claims, never a queue, whatever its length. Written to a file or "
                "a pipe it prints one screen and ends; -o json and jsonl print one look at the counters. "
                "TRY is the number of the attempt that runs, FOR the time since its job was claimed.",
            .options = {option("interval", "time between two looks (default: 1s)", "DURATION")},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover top", "drover top --interval 5s"},
            .run = execute};
}

} // namespace drover::app
