#include "app/bench/bench_cluster.h"
#include "app/bench/bench_options.h"
#include "app/bench/latency_bench.h"
#include "app/commands/commands.h"

namespace drover::app {

namespace {

async::Task<int> run(Context &context)
{
    const auto count = static_cast<int>(context.arguments().integer("count", 1, 100'000, 200));
    const MeasureCluster measure = [count](BenchCluster &cluster) {
        return measureLatency(cluster.zk(), cluster.layout(), count);
    };
    co_return co_await runOnCluster(context, 2 * qint64(count), 1, measure);
}

} // namespace

Command benchLatency()
{
    return {
        .name = "bench latency",
        .synopsis = "[OPTIONS]",
        .summary = "Measure how soon an idle worker starts a job",
        .details =
            "One job at a time, from just before the submit to the start of its process. Without --connect a private\n"
            "ZooKeeper that fsyncs is started for it.",
        .options = {option("count", "how many jobs (default: 200)", "N"), jsonOption()},
        .run = run};
}

} // namespace drover::app
