#include "app/bench/benches.h"
#include "app/cli/failure.h"
#include "app/commands/bench/bench_commands.h"
#include "app/lab/lab.h"

namespace drover::app {

using namespace std::chrono_literals;

namespace {

struct Kind {
    const char *name;
    MakeContention contention;
    const char *remark;
};

const Kind &kindOf(const QString &name)
{
    static const Kind kinds[] = {
        {"mutex", contendForMutex,
         "each watches the two before it, so the line's length does not matter, and it is fair"},
        {"write", contendForWriteLock, "the Mutex's line with ZooKeeper's own names"},
        {"rw", contendForReadWriteLock, "nine of ten read and go on together; a writer wakes those who waited for it"},
        {"slow", contendForSimpleLock, "all watch one node and all try again: the herd effect, and no order is kept"},
    };
    for (const Kind &kind : kinds) {
        if (name == QLatin1String(kind.name))
            return kind;
    }
    throw UsageError(QStringLiteral("--kind is mutex, slow, write or rw, not \"%1\"").arg(name));
}

QString explain(const Kind &kind, const Figures &figures)
{
    return QStringLiteral("a release woke %1 of %2 waiters: %3")
        .arg(figures.value("wakeups").toDouble(), 0, 'f', 1)
        .arg(figures.value("clients").toInt() - 1)
        .arg(QLatin1String(kind.remark));
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const Kind &kind = kindOf(arguments.has("kind") ? arguments.value("kind") : QStringLiteral("mutex"));
    LockBenchOptions options;
    options.duration = labDuration(context);
    options.warmUp = 2s;
    options.hold = arguments.duration("hold", 5ms);
    options.contention = kind.contention;
    const auto run = [options](std::vector<zk::Client *> sessions, zk::Path directory) {
        LockBenchOptions placed = options;
        placed.directory = std::move(directory);
        return measureLock(std::move(sessions), placed);
    };
    Lab lab{labClients(context, 1, 32), run, [&kind](const Figures &figures) { return explain(kind, figures); }};
    co_return co_await runLab(context, std::move(lab));
}

} // namespace

Command labLocks()
{
    return {.name = "lab locks",
            .summary = "Watch many sessions contend for one lock",
            .details = "Every client acquires and releases one lock in a loop, on a private ZooKeeper unless --connect "
                       "says otherwise. Shows the znodes as they change, then what a release costs and how fair it is. "
                       "Kinds: mutex (a line of tickets), write (ZooKeeper's names for it), rw (nine reads to a "
                       "write), slow (one node that all watch).",
            .options = labOptions("sessions that contend (default: 32)")
                + QList{option("kind", "of lock (default: mutex)", "mutex|slow|write|rw"),
                        option("hold", "how long each holds it (default: 5ms)", "DURATION")},
            .examples = {"drover lab locks --clients 32 --kind slow", "drover lab locks --kind mutex"},
            .run = execute};
}

} // namespace drover::app
