#include "app/bench/bench_options.h"

#include "app/cli/failure.h"

namespace drover::app {

using namespace std::chrono_literals;

QCommandLineOption openOption()
{
    return option("open", "without credentials and ACLs: what they cost");
}

GivenServers benchServers(const Context &context)
{
    GivenServers given{context.arguments().value("connect")};
    given.connectTimeout = context.arguments().duration("connect-timeout", given.connectTimeout);
    return given;
}

QCommandLineOption forOption(const char *description)
{
    return option("for", description, "DURATION");
}

std::chrono::milliseconds measuredTime(const Arguments &arguments, std::chrono::milliseconds byDefault)
{
    const std::chrono::milliseconds time = arguments.duration("for", byDefault);
    if (time < 1s || time > 1h)
        throw UsageError(QStringLiteral("--for: \"%1\" is not between 1s and 1h").arg(arguments.value("for")));
    return time;
}

void print(const Context &context, const Figures &figures)
{
    if (context.out().isTable())
        context.out().bytes(figures.table(widthFor(context.out().terminal())).toUtf8());
    else
        context.out().document(figures.json());
}

async::Task<int> runOnCluster(Context &context, qint64 jobs, int slotCount, MeasureCluster measure, bool open)
{
    BenchCluster cluster(context.loop(), benchServers(context), scratchName());
    if (open)
        cluster.stayOpen();
    const BenchCluster::Measure measureIt = [&] { return measure(cluster); };
    const Figures figures = co_await cluster.run(jobs, slotCount, measureIt);
    print(context, figures);
    co_return ExitOk;
}

} // namespace drover::app
