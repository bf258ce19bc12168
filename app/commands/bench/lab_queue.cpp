#include "app/bench/benches.h"
#include "app/commands/bench/bench_commands.h"
#include "app/lab/lab.h"

namespace drover::app {

namespace {

QString explain(const Figures &figures)
{
    return QStringLiteral("%1 requests an item, batches of %2: consumers share out one listing and delete many in one "
                          "transaction")
        .arg(figures.value("requests").toDouble(), 0, 'f', 2)
        .arg(figures.value("batch").toInt());
}

async::Task<int> execute(Context &context)
{
    const qint64 clients = labClients(context, 2, 8);
    QueueBenchOptions options;
    options.duration = labDuration(context);
    options.producers = static_cast<int>(clients / 2);
    options.batch = static_cast<int>(context.arguments().integer("batch", 1, 500, options.batch));
    const auto run = [options](std::vector<zk::Client *> sessions, zk::Path directory) {
        QueueBenchOptions placed = options;
        placed.directory = directory / "queue"; // what it keeps beside itself is below `directory`, too
        return measureQueue(std::move(sessions), placed);
    };
    Lab lab{clients, run, explain};
    co_return co_await runLab(context, std::move(lab));
}

} // namespace

Command labQueue()
{
    return {.name = "lab queue",
            .summary = "Watch producers and consumers of one queue",
            .details = "Half of the clients offer items of 100 bytes, the others take them. Shows the znodes as they "
                       "change, then rate, delivery time and requests an item; that each came once is checked.",
            .options = labOptions("producers and consumers together (default: 8)")
                + QList{option("batch", "items offered or taken at a time (default: 1)", "N")},
            .examples = {"drover lab queue --batch 10"},
            .run = execute};
}

} // namespace drover::app
