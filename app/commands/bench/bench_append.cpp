#include "app/bench/bench_options.h"
#include "app/bench/benches.h"
#include "app/bench/setup/bench_sessions.h"
#include "app/bench/setup/remove_tree.h"
#include "app/cli/failure.h"
#include "app/commands/bench/bench_commands.h"

#include <QDir>
#include <QTemporaryDir>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

async::Task<int> run(Context &context)
{
    const Arguments &arguments = context.arguments();
    AppendBenchOptions options;
    options.writers = static_cast<int>(arguments.integer("writers", 1, 1000, options.writers));
    options.recordSize = static_cast<int>(arguments.integer("size", 1, 1 << 20, options.recordSize));
    options.duration = measuredTime(arguments, 5s);
    const qint64 sessionCount = arguments.integer("sessions", 1, options.writers, 1);
    const QString folder = arguments.has("dir") ? arguments.value("dir") : QDir::tempPath();
    const QTemporaryDir directory(folder + QStringLiteral("/drover-append-XXXXXX"));
    if (!directory.isValid())
        throw CommandError(ExitError,
                           QStringLiteral("cannot make a folder in %1: %2").arg(folder, directory.errorString()));
    options.path = directory.path() + QStringLiteral("/shared");

    BenchServer server(context.loop(), benchServers(context));
    co_await server.start();
    BenchSessions sessions;
    co_await sessions.open(server, sessionCount);
    const jobs::Layout layout(scratchName());
    if (server.isPrivate()) { // a JVM that has just started interprets its code: the first seconds would measure that
        AppendBenchOptions warmUp = options;
        warmUp.path += QStringLiteral(".warm");
        warmUp.duration = 2s;
        const Figures unused = co_await measureAppend(sessions.all(), layout, warmUp);
        Q_UNUSED(unused)
    }
    const Figures figures = co_await measureAppend(sessions.all(), layout, options);
    if (!server.isPrivate())
        co_await removeTree(sessions.first(), layout.root());
    print(context, figures);
    co_return ExitOk;
}

} // namespace

Command benchAppend()
{
    return {
        .name = "bench append",
        .summary = "Measure appends to one shared file",
        .details =
            "Writers append one record after the other, each synced to the disk and committed before the next. Writers "
            "of one session share transactions as those of one process do; with as many sessions as writers none does. "
            "Afterwards every byte is compared. Without --connect a private ZooKeeper that fsyncs is started for it.",
        .options = {option("writers", "how many at a time (default: 8)", "N"),
                    option("sessions", "sessions that they share (default: 1)", "N"),
                    option("size", "bytes of a record (default: 100)", "BYTES"),
                    forOption("how long to measure (default: 5s)"),
                    option("dir", "folder for the file (default: the temporary one)", "DIR")},
        .examples = {"drover bench append", "drover bench append --writers 8 --sessions 8"},
        .run = run};
}

} // namespace drover::app
