#include "app/bench/bench_options.h"

#include <QCoreApplication>

namespace drover::app {

QCommandLineOption jsonOption()
{
    return option("json", "print one JSON object");
}

QCommandLineOption openOption()
{
    return option("open", "without credentials and ACLs: what they cost");
}

QString benchServers(const Context &context)
{
    return context.arguments().value("connect");
}

QByteArray scratchName()
{
    return "bench-" + QByteArray::number(QCoreApplication::applicationPid());
}

void print(const Context &context, const Figures &figures)
{
    if (context.arguments().has("json") || !context.out().isTable())
        context.out().bytes(figures.json());
    else
        context.out().bytes(figures.table().toUtf8());
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
