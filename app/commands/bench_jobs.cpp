#include "app/bench/bench_cluster.h"
#include "app/bench/bench_options.h"
#include "app/bench/jobs_bench.h"
#include "app/commands/commands.h"

namespace drover::app {

namespace {

async::Task<int> run(Context &context)
{
    const Arguments &arguments = context.arguments();
    JobsBenchOptions options;
    options.jobs = arguments.integer("jobs", 1, 100'000, options.jobs);
    options.slotCount = static_cast<int>(arguments.integer("slots", 1, 1000, options.slotCount));
    if (arguments.has("command"))
        options.command = arguments.value("command").split(u' ', Qt::SkipEmptyParts);
    BenchCluster cluster(context.loop(), benchServers(context), scratchName());
    const BenchCluster::Measure measure = [&] {
        return measureJobs(cluster.zk(), cluster.layout(), cluster.worker(), options);
    };
    const Figures figures = co_await cluster.run(options.jobs, options.slotCount, measure);
    print(context, figures);
    co_return ExitOk;
}

} // namespace

Command benchJobs()
{
    return {
        .name = "bench jobs",
        .synopsis = "[OPTIONS]",
        .summary = "Measure how fast one worker runs short jobs",
        .details =
            "Submits the jobs, waits until a worker process of this program has run them all, and checks that each\n"
            "has ended once and well. Without --connect a private ZooKeeper that fsyncs is started for it.",
        .options = {option("jobs", "how many (default: 5000)", "N"),
                    option("slots", "jobs that the worker runs at a time (default: 2)", "K"),
                    option("command", "program of the jobs, with its arguments (default: /bin/true)", "COMMAND"),
                    jsonOption()},
        .run = run};
}

} // namespace drover::app
