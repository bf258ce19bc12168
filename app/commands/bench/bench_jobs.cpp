#include "app/bench/bench_options.h"
#include "app/bench/benches.h"
#include "app/cli/failure.h"
#include "app/commands/bench/bench_commands.h"

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr qint64 Few = 100; // jobs of a short queue
constexpr qint64 MostEnded = 1'000'000; // records kept while claims are measured

async::Task<double> claimRate(Context &context, const BenchServer &server, ClaimsBenchOptions options, qint64 queued)
{
    options.queued = queued;
    BenchCluster cluster(context.loop(), {server.connectString()}, scratchName());
    const BenchCluster::Measure measure = [&] { return measureClaims(cluster, options); };
    const Figures figures = co_await cluster.run(MostEnded, 0, measure);
    co_return figures.value("per_s").toDouble();
}

// On one server, the short queue before and after the long one: whatever drifts meanwhile, drifts for both.
async::Task<Figures> compareClaims(Context &context, ClaimsBenchOptions options)
{
    BenchServer server(context.loop(), benchServers(context));
    co_await server.start();
    const double before = co_await claimRate(context, server, options, Few);
    const double queued = co_await claimRate(context, server, options, options.queued);
    const double after = co_await claimRate(context, server, options, Few);
    co_await server.stop();
    const double few = (before + after) / 2;
    if (few <= 0)
        throw CommandError(ExitError, QStringLiteral("no job has ended; measure longer with --for"));
    Figures figures("claims");
    figures.add("queued", options.queued, "jobs in the queue, all the time");
    figures.add("slots", options.slotCount, "of one worker");
    figures.add("per_s", queued, "jobs a second, run out of it");
    figures.add("few_per_s", few, QStringLiteral("with %1 in the queue, mean of a run before and one after").arg(Few));
    figures.add("ratio", queued / few, "of the two");
    co_return figures;
}

async::Task<int> runAll(Context &context, JobsBenchOptions options)
{
    const MeasureCluster measure = [options](BenchCluster &cluster) {
        return measureJobs(cluster.handle(), cluster.worker(), options);
    };
    co_return co_await runOnCluster(context, options.warmUp + options.jobs, options.slotCount, measure,
                                    context.arguments().has("open"));
}

async::Task<int> run(Context &context)
{
    const Arguments &arguments = context.arguments();
    JobsBenchOptions options;
    options.jobs = arguments.integer("jobs", 1, 100'000, options.jobs);
    options.slotCount = static_cast<int>(arguments.integer("slots", 1, 1000, options.slotCount));
    if (arguments.has("command")) {
        options.command = arguments.value("command").split(u' ', Qt::SkipEmptyParts);
        options.warmUp = 0; // it may take its time
    }
    options.warmUp = arguments.integer("warm-up", 0, 100'000, options.warmUp);
    if (!arguments.has("queued")) {
        if (arguments.has("for"))
            throw UsageError(QStringLiteral("--for means nothing without --queued"));
        co_return co_await runAll(context, options);
    }
    if (arguments.has("open"))
        throw UsageError(QStringLiteral("--open means nothing with --queued"));
    if (arguments.has("jobs") || arguments.has("warm-up"))
        throw UsageError(
            QStringLiteral("--queued measures for a time; give --for in the place of --jobs and --warm-up"));
    ClaimsBenchOptions claims;
    claims.queued = arguments.integer("queued", 1, 1'000'000, claims.queued);
    claims.command = options.command;
    claims.slotCount = options.slotCount;
    claims.duration = measuredTime(arguments, 5s);
    const Figures figures = co_await compareClaims(context, claims);
    print(context, figures);
    co_return ExitOk;
}

} // namespace

Command benchJobs()
{
    return {.name = "bench jobs",
            .summary = "Measure how fast one worker runs short jobs",
            .details = "Submits the jobs, waits until a worker process of this program has run them all, and checks "
                       "that each has ended once and well. With --queued N the queue is filled up again for as long as "
                       "is measured, and the rate compared with that of a queue of a hundred. Without --connect a "
                       "private ZooKeeper that fsyncs is started for it.",
            .options = {option("jobs", "how many (default: 5000)", "N"),
                        option("warm-up", "of these before, not counted (default: 1000; with --command 0)", "N"),
                        option("slots", "jobs that the worker runs at a time (default: 2)", "K"),
                        option("command", "program of the jobs, with its arguments (default: /bin/true)", "COMMAND"),
                        option("queued", "keep so many in the queue, and compare with a short one", "N"),
                        forOption("how long to measure with --queued (default: 5s)"), openOption()},
            .examples = {"drover bench jobs", "drover bench jobs --queued 50000 --for 10s"},
            .run = run};
}

} // namespace drover::app
