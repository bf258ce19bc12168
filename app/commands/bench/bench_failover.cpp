#include "app/bench/bench_options.h"
#include "app/bench/benches.h"
#include "app/commands/bench/bench_commands.h"

namespace drover::app {

using namespace std::chrono_literals;

namespace {

async::Task<int> run(Context &context)
{
    const Arguments &arguments = context.arguments();
    FailoverBenchOptions options;
    options.workers = static_cast<int>(arguments.integer("workers", 3, 100, options.workers));
    options.slotCount = static_cast<int>(arguments.integer("slots", 1, 1000, options.slotCount));
    options.jobs = arguments.integer("jobs", 30, 100'000, options.jobs);
    options.unfinished = arguments.integer("unfinished", 1, 1'000'000, options.unfinished);
    options.sessionTimeout = arguments.duration("session-timeout", options.sessionTimeout);
    const MeasureCluster measure = [options](BenchCluster &cluster) { return measureFailover(cluster, options); };
    co_return co_await runOnCluster(context, options.jobs + options.unfinished + 1, 0, measure);
}

} // namespace

Command benchFailover()
{
    return {.name = "bench failover",
            .summary = "Measure how soon work goes on when a worker is killed, and when the master is",
            .details = "Kills worker processes of its own with SIGKILL: one in the midst of short jobs, of which those "
                       "that it had and no others may run twice; then the master, while many jobs wait for it. A dead "
                       "worker's session has to expire first, which takes the session time-out, rounded up to the "
                       "server's tick. Without --connect a private ZooKeeper that fsyncs is started for it.",
            .options = {option("workers", "how many (default: 3)", "N"),
                        option("slots", "jobs that each runs at a time (default: 4)", "K"),
                        option("jobs", "how many short ones (default: 600)", "N"),
                        option("unfinished", "jobs that wait when the master is killed (default: 50000)", "N"),
                        option("session-timeout", "of the workers (default: 10s)", "DURATION")},
            .examples = {"drover bench failover --unfinished 1000"},
            .run = run};
}

} // namespace drover::app
