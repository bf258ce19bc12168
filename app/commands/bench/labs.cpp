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

QString explainLocks(const Kind &kind, const Figures &figures)
{
    return QStringLiteral("a release woke %1 of %2 waiters: %3")
        .arg(figures.value("wakeups").toDouble(), 0, 'f', 1)
        .arg(figures.value("clients").toInt() - 1)
        .arg(QLatin1String(kind.remark));
}

async::Task<int> runLocks(Context &context)
{
    const Arguments &arguments = context.arguments();
    const Kind &kind = kindOf(arguments.has("kind") ? arguments.value("kind") : QStringLiteral("mutex"));
    LockBenchOptions options;
    options.duration = labDuration(context);
    options.warmUp = 2s;
    options.hold = arguments.duration("hold", 5ms);
    options.contention = kind.contention;
    const auto explain = [&kind](const Figures &figures) { return explainLocks(kind, figures); };
    return runLab(context, {labClients(context, 1, 32), inDirectory(measureLock, options), explain});
}

QString explainElection(const Figures &figures)
{
    return QStringLiteral("a resignation woke %1 of %2 who stood by: the next in line and the one behind it")
        .arg(figures.value("wakeups").toDouble(), 0, 'f', 1)
        .arg(figures.value("clients").toInt() - 1);
}

async::Task<int> runElection(Context &context)
{
    const MeasureIn measure = inDirectory(measureElection, {.duration = labDuration(context)});
    return runLab(context, {labClients(context, 2, 8), measure, explainElection});
}

QString explainBarrier(const Figures &figures)
{
    return QStringLiteral(
               "each of %1 members was woken %2 times in a round: the barrier wakes everybody once, who leaves "
               "only one")
        .arg(figures.value("clients").toInt())
        .arg(figures.value("wakeups").toDouble(), 0, 'f', 1);
}

async::Task<int> runBarrier(Context &context)
{
    const MeasureIn measure = inDirectory(measureBarrier, {.duration = labDuration(context)});
    return runLab(context, {labClients(context, 1, 8), measure, explainBarrier});
}

QString explainQueue(const Figures &figures)
{
    return QStringLiteral("%1 requests an item, batches of %2: consumers share out one listing and delete many in one "
                          "transaction")
        .arg(figures.value("requests").toDouble(), 0, 'f', 2)
        .arg(figures.value("batch").toInt());
}

async::Task<int> runQueue(Context &context)
{
    const qint64 clients = labClients(context, 2, 8);
    QueueBenchOptions options;
    options.duration = labDuration(context);
    options.producers = static_cast<int>(clients / 2);
    options.batch = static_cast<int>(context.arguments().integer("batch", 1, 500, options.batch));
    const MeasureIn measure = inDirectory(measureQueue, options);
    const auto run = [measure](std::vector<zk::Client *> sessions, const zk::Path &directory) {
        return measure(std::move(sessions),
                       directory / "queue"); // what it keeps beside itself is below `directory`, too
    };
    return runLab(context, {clients, run, explainQueue});
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
            .run = runLocks};
}

Command labElection()
{
    return {.name = "lab election",
            .summary = "Watch candidates lead in turn",
            .details = "Each candidate leads for 20 ms, resigns and stands again. Shows the znodes as they change, "
                       "then how long there was no leader between two terms.",
            .options = labOptions("candidates (default: 8)"),
            .examples = {"drover lab election"},
            .run = runElection};
}

Command labBarrier()
{
    return {.name = "lab barrier",
            .summary = "Watch sessions enter and leave a double barrier together",
            .details = "Shows the znodes as they change, then how long the last one to come waits until all are in.",
            .options = labOptions("members (default: 8)"),
            .examples = {"drover lab barrier"},
            .run = runBarrier};
}

Command labQueue()
{
    return {.name = "lab queue",
            .summary = "Watch producers and consumers of one queue",
            .details = "Half of the clients offer items of 100 bytes, the others take them. Shows the znodes as they "
                       "change, then rate, delivery time and requests an item; that each came once is checked.",
            .options = labOptions("producers and consumers together (default: 8)")
                + QList{option("batch", "items offered or taken at a time (default: 1)", "N")},
            .examples = {"drover lab queue --batch 10"},
            .run = runQueue};
}

} // namespace drover::app
