#include "app/bench/bench_options.h"
#include "app/bench/benches.h"
#include "app/commands/bench/bench_commands.h"

namespace drover::app {

namespace {

async::Task<int> run(Context &context)
{
    SubmitBenchOptions options;
    options.jobs = context.arguments().integer("jobs", 1, 1'000'000, options.jobs);
    options.processes = context.arguments().integer("processes", 0, 10'000, options.processes);
    const MeasureCluster measure = [options](BenchCluster &cluster) { return measureSubmits(cluster, options); };
    co_return co_await runOnCluster(context, options.jobs + options.processes + 100, 0, measure,
                                    context.arguments().has("open"));
}

} // namespace

Command benchSubmit()
{
    return {.name = "bench submit",
            .summary = "Measure how fast jobs are submitted, by one client and by drover submit as a process",
            .details = "Nothing is run. The processes come first, after a few that are not counted. Without --connect "
                       "a private ZooKeeper that fsyncs is started for it.",
            .options = {option("jobs", "submitted by one client, pipelined (default: 20000)", "N"),
                        option("processes", "runs of drover submit -- true (default: 50)", "N"), openOption()},
            .examples = {"drover bench submit"},
            .run = run};
}

} // namespace drover::app
