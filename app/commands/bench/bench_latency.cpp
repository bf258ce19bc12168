#include "app/bench/bench_options.h"
#include "app/bench/benches.h"
#include "app/bench/setup/bench_cluster.h"
#include "app/cli/failure.h"
#include "app/commands/bench/bench_commands.h"

namespace drover::app {

namespace {

// "8x2": eight workers of two slots each.
LoadBenchOptions::Workers workersFrom(const QString &text)
{
    const QStringList parts = text.split(u'x');
    const auto number = [&](qsizetype part) { return parts.size() == 2 ? parts[part].toInt() : 0; };
    const LoadBenchOptions::Workers workers{number(0), number(1)};
    if (workers.count < 1 || workers.count > 100 || workers.slotCount < 1 || workers.slotCount > 1000)
        throw UsageError(QStringLiteral("--workers: \"%1\" is not WORKERSxSLOTS, for example 8x2").arg(text));
    return workers;
}

LoadBenchOptions loadFrom(const Arguments &arguments)
{
    LoadBenchOptions options;
    QString load = arguments.value("load");
    if (load.endsWith(u'%'))
        load.chop(1);
    bool isNumber = false;
    options.percent = load.toInt(&isNumber);
    if (!isNumber || options.percent < 1 || options.percent > 200)
        throw UsageError(QStringLiteral("--load: \"%1\" is not a percentage from 1 to 200").arg(load));
    options.jobDuration = arguments.duration("duration", options.jobDuration);
    options.length = std::chrono::duration_cast<std::chrono::seconds>(measuredTime(arguments, options.length));
    const QString shapes = arguments.has("workers") ? arguments.value("workers") : QStringLiteral("8x2,1x16");
    const QStringList each = shapes.split(u',');
    for (const QString &shape : each)
        options.workers.push_back(workersFrom(shape));
    return options;
}

// One after the other on one server.
async::Task<int> runUnderLoad(Context &context)
{
    constexpr qint64 MostJobs = 1'000'000;
    const LoadBenchOptions options = loadFrom(context.arguments());
    BenchServer server(context.loop(), benchServers(context));
    co_await server.start();
    std::vector<Distribution> starts;
    for (const LoadBenchOptions::Workers &workers : options.workers) {
        BenchCluster cluster(context.loop(), {server.connectString()}, scratchName());
        Distribution measured;
        const BenchCluster::Measure measure = [&]() -> async::Task<Figures> {
            measured = co_await measureUnderLoad(cluster, options, workers);
            co_return Figures(QString());
        };
        co_await cluster.run(MostJobs, workers.slotCount, measure);
        starts.push_back(std::move(measured));
    }
    co_await server.stop();
    print(context, underLoad(options, starts));
    co_return ExitOk;
}

async::Task<int> run(Context &context)
{
    const bool isOpen = context.arguments().has("open");
    if (context.arguments().has("load")) {
        if (isOpen)
            throw UsageError(QStringLiteral("--open means nothing with --load"));
        co_return co_await runUnderLoad(context);
    }
    for (const char *name : {"duration", "workers", "for"}) {
        if (context.arguments().has(name))
            throw UsageError(QStringLiteral("--%1 means nothing without --load").arg(QLatin1String(name)));
    }
    const auto count = static_cast<int>(context.arguments().integer("count", 1, 100'000, 200));
    const MeasureCluster measure = [count](BenchCluster &cluster) { return measureLatency(cluster.handle(), count); };
    co_return co_await runOnCluster(context, 2 * qint64(count), 1, measure, isOpen);
}

} // namespace

Command benchLatency()
{
    return {.name = "bench latency",
            .summary = "Measure how soon an idle worker starts a job",
            .details = "One job at a time, from just before the submit to the start of its process. Without --connect "
                       "a private ZooKeeper that fsyncs is started for it.\n\n"
                       "With --load jobs come at random to busy workers, so many that their slots are in use for that "
                       "part of the time. Several kinds of workers are measured one after the other, and the first "
                       "compared with the last: drover bench latency --load 95% --duration 100ms --workers 8x2,1x16",
            .options = {option("count", "how many jobs (default: 200)", "N"), openOption(),
                        option("load", "how busy the workers are, in percent of their slots", "PERCENT"),
                        option("duration", "how long a job of --load takes (default: 100ms)", "DURATION"),
                        option("workers", "workers and their slots for --load (default: 8x2,1x16)", "NxSLOTS,..."),
                        forOption("how long jobs of --load come (default: 20s)")},
            .examples = {"drover bench latency --count 200", "drover bench latency --load 95% --workers 8x2,1x16"},
            .run = run};
}

} // namespace drover::app
