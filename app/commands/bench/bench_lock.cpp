#include "app/bench/bench_options.h"
#include "app/bench/benches.h"
#include "app/bench/setup/bench_sessions.h"
#include "app/bench/setup/remove_tree.h"
#include "app/cli/failure.h"
#include "app/commands/bench/bench_commands.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr auto WarmUp = 2s;

// A JVM that has just started interprets its code: the first cycles would measure that.
async::Task<void> warmUp(BenchServer &server, LockBenchOptions options)
{
    BenchSessions sessions;
    co_await sessions.open(server, 1);
    options.duration = WarmUp;
    const Figures unused = co_await measureLock(sessions.all(), options);
    Q_UNUSED(unused)
}

async::Task<int> run(Context &context)
{
    const Arguments &arguments = context.arguments();
    const qint64 clients = arguments.integer("clients", 1, 1000, 1);
    BenchServer server(context.loop(), benchServers(context));
    LockBenchOptions options;
    options.directory = zk::Path("/drover") / scratchName() / "lock";
    options.duration = measuredTime(arguments, 5s);
    options.roundTrip = arguments.duration("rtt", server.isPrivate() ? 10ms : 0ms);
    co_await server.start();
    if (server.isPrivate())
        co_await warmUp(server, options);
    server.injectRoundTrip(options.roundTrip);
    BenchSessions sessions;
    co_await sessions.open(server, clients);
    const Figures figures = co_await measureLock(sessions.all(), options);
    if (!server.isPrivate())
        co_await removeTree(sessions.first(), options.directory.parent());
    print(context, figures);
    co_return ExitOk;
}

} // namespace

Command benchLock()
{
    return {
        .name = "bench lock",
        .summary = "Measure the lock: cycles, round trips and wake-ups",
        .details = "Every client acquires and releases one lock in a loop. Without --connect a private ZooKeeper that "
                   "fsyncs is started for it, and its network is made as slow as --rtt says.",
        .options = {option("clients", "sessions that contend (default: 1)", "N"),
                    forOption("how long to measure (default: 5s)"),
                    option("rtt", "round trip to inject, 0 for none (default: 10ms, with --connect none)", "DURATION")},
        .examples = {"drover bench lock --rtt 10ms --clients 8"},
        .run = run};
}

} // namespace drover::app
