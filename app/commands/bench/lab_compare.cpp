#include "app/bench/bench_options.h"
#include "app/bench/setup/bench_sessions.h"
#include "app/bench/setup/remove_tree.h"
#include "app/commands/bench/bench_commands.h"
#include "app/lab/comparison.h"
#include "app/lab/lock_services.h"
#include "async/offload.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr auto Lease = 1s; // the shortest that a service takes; ZooKeeper's is two of its ticks, 4 s

struct Options {
    int clients = 8;
    int pauses = 3;
    std::chrono::milliseconds duration{3000};
};

// On a thread of its own: `service` is its own copy, or the daemon is gone before a cancelled run has ended.
QJsonObject examine(const LockService &service, const Options &options)
{
    QJsonObject row{{QStringLiteral("lock"), service.name}};
    if (!service.missing.isEmpty()) {
        row.insert(QStringLiteral("missing"), service.missing);
        return row;
    }
    const Figures figures = contendFor(service, options.clients, options.duration);
    for (const char *name : {"cycles", "per_s", "handoff_ms", "handoff_p99_ms", "fairness"})
        row.insert(QLatin1String(name), figures.value(name));
    const Overlaps overlaps = pauseHolders(service, options.pauses, Lease);
    row.insert(QStringLiteral("overlaps"), overlaps.withoutFence);
    row.insert(QStringLiteral("overlaps_fenced"), overlaps.withFence);
    return row;
}

void print(const Context &context, const Options &options, const QList<QJsonObject> &rows)
{
    const QJsonObject about{{QStringLiteral("bench"), QStringLiteral("compare")},
                            {QStringLiteral("clients"), options.clients},
                            {QStringLiteral("elapsed_ms"), qint64(options.duration.count())},
                            {QStringLiteral("pauses"), options.pauses}};
    using Kind = Column::Kind;
    QList<Column> columns{{"lock", "LOCK"},
                          {"per_s", "PER S", Kind::Real},
                          {"handoff_ms", "HAND-OFF MS", Kind::Real},
                          {"handoff_p99_ms", "P99 MS", Kind::Real},
                          {"fairness", "FAIRNESS", Kind::Real},
                          {"overlaps", "OVERLAPS", Kind::Number},
                          {"overlaps_fenced", "FENCED", Kind::Number}};
    const auto isMissing = [](const QJsonObject &row) { return row.contains(u"missing"); };
    if (std::any_of(rows.begin(), rows.end(), isMissing))
        columns.append(Column{"missing", "MISSING"});
    context.out().list("locks", columns, rows, about);
    if (!context.out().isTable())
        return;
    context.out().line(
        QStringLiteral(
            "\nFairness is the longest wait in median waits. Each of %1 holders stood still until its lease had run "
            "out\n"
            "and another had the lock: no lease prevents that both write then, only storage that compares fences "
            "does.\n"
            "ZooKeeper syncs every change to the disk; Redis and memcached keep theirs in memory, on one server.")
            .arg(options.pauses));
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    Options options;
    options.clients = static_cast<int>(arguments.integer("clients", 1, 200, options.clients));
    options.pauses = static_cast<int>(arguments.integer("pauses", 1, 100, options.pauses));
    options.duration = measuredTime(arguments, options.duration);
    BenchServer server(context.loop(), benchServers(context));
    co_await server.start();
    BenchSessions cleaner;
    co_await cleaner.open(server, 1);
    const zk::Path root = zk::Path("/drover") / scratchName();
    LockServices services;
    co_await services.start(context.loop(), server.connectString(), root);

    QList<QJsonObject> rows;
    for (const LockService &service : services.all()) {
        Output::hint(QStringLiteral("%1 ...").arg(service.name));
        const std::function<QJsonObject()> work = [service, options] { return examine(service, options); };
        const QJsonObject row = co_await async::offload(context.loop(), work);
        rows.append(row);
    }
    if (!server.isPrivate())
        co_await removeTree(cleaner.first(), root);
    print(context, options, rows);
    co_return ExitOk;
}

} // namespace

Command labCompare()
{
    return {.name = "lab compare",
            .summary = "Compare the locks of ZooKeeper, Redis and memcached",
            .details =
                "Every client acquires and releases one lock in a loop. Then holders are paused past their lease, and "
                "the writes are counted that a storage takes from them while another holds the lock: without fence, "
                "and with. Starts the servers that it needs on free ports of this machine, and stops them.",
            .options = {option("clients", "threads that contend (default: 8)", "N"),
                        forOption("how long to measure each (default: 3s)"),
                        option("pauses", "holders to pause of each (default: 3)", "N")},
            .examples = {"drover lab compare --clients 8"},
            .run = execute};
}

} // namespace drover::app
