#include "app/lab/lab.h"

#include "app/bench/bench_options.h"
#include "app/bench/setup/bench_sessions.h"
#include "app/bench/setup/remove_tree.h"
#include "app/lab/change_printer.h"

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr int DefaultChanges = 40;

} // namespace

async::Task<int> runLab(Context &context, Lab lab)
{
    const Arguments &arguments = context.arguments();
    const bool tells = !arguments.has("quiet") && context.out().isTable();
    const qint64 changes = arguments.integer("changes", 0, 1'000'000, DefaultChanges);
    BenchServer server(context.loop(), benchServers(context));
    co_await server.start();
    BenchSessions sessions;
    co_await sessions.open(server, lab.sessions);
    BenchSessions observer;
    co_await observer.open(server, 1);
    const zk::Path directory = zk::Path("/drover") / scratchName() / "lab";
    co_await observer.first().ensurePath(directory);

    ChangePrinter printer(context.out(), observer.first(), directory, tells ? changes : 0);
    Figures figures = co_await lab.run(sessions.all(), directory);
    printer.stop();
    figures.add("shows", lab.explain(figures), {});
    if (!server.isPrivate())
        co_await removeTree(sessions.first(), directory.parent());
    print(context, figures);
    co_return ExitOk;
}

QList<QCommandLineOption> labOptions(const char *clients)
{
    return {option("clients", clients, "N"), forOption("how long to measure (default: 5s)"),
            option("changes", "changes of znodes to print (default: 40)", "N"),
            option("quiet", "print no changes of znodes")};
}

qint64 labClients(const Context &context, qint64 atLeast, qint64 fallback)
{
    return context.arguments().integer("clients", atLeast, 1000, fallback);
}

std::chrono::milliseconds labDuration(const Context &context)
{
    return measuredTime(context.arguments(), 5s);
}

} // namespace drover::app
