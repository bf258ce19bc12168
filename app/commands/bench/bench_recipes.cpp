#include "app/bench/bench_options.h"
#include "app/bench/recipes_bench.h"
#include "app/bench/setup/bench_sessions.h"
#include "app/bench/setup/remove_tree.h"
#include "app/cli/failure.h"
#include "app/commands/bench/bench_commands.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;

const QStringList Libraries{QStringLiteral("curator"), QStringLiteral("kazoo")};

std::vector<Peer> peersOf(const QString &list)
{
    std::vector<Peer> peers;
    for (const QString &library : list.split(u',', Qt::SkipEmptyParts)) {
        if (!Libraries.contains(library))
            throw UsageError(QStringLiteral("--against takes curator, kazoo or curator,kazoo, not \"%1\"").arg(list));
        peers.emplace_back(library);
    }
    return peers;
}

QString describe(const QJsonObject &row)
{
    QStringList parts{row.value(u"work").toString()};
    if (row.contains(u"producers"))
        parts.append(
            QStringLiteral("%1 to %2").arg(row.value(u"producers").toInt()).arg(row.value(u"consumers").toInt()));
    if (row.contains(u"clients"))
        parts.append(QString::number(row.value(u"clients").toInt()));
    parts.append(row.value(u"rtt_ms").toInt() > 0 ? QStringLiteral("10 ms") : QStringLiteral("loopback"));
    return parts.join(QStringLiteral(", "));
}

void printTable(const Output &out, const QList<QJsonObject> &rows, const std::vector<Peer> &peers)
{
    using Kind = Column::Kind;
    QList<QJsonObject> shown = rows;
    for (QJsonObject &row : shown)
        row.insert(QStringLiteral("title"), describe(row));
    QList<Column> columns{{"title", "WORK"}, {"unit", "UNIT"}, {"drover", "DROVER", Kind::Real}};
    for (const Peer &peer : peers) {
        const bool curator = peer.library() == Libraries.first();
        columns.append({curator ? "curator" : "kazoo", curator ? "CURATOR" : "KAZOO", Kind::Real});
        columns.append({curator ? "curator_ratio" : "kazoo_ratio", "RATIO", Kind::Real});
    }
    out.list("rows", columns, shown);
    for (const QJsonObject &row : rows) {
        for (const Peer &peer : peers) {
            const QString error = row.value(peer.library() + QStringLiteral("_error")).toString();
            if (!error.isEmpty())
                Output::message(error);
        }
    }
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    RecipesBenchOptions options;
    options.duration = measuredTime(arguments, 5s);
    options.peers = peersOf(arguments.value("against"));
    options.root = zk::Path("/drover") / scratchName();
    BenchServer server(context.loop(), benchServers(context));
    co_await server.start();
    const auto progress = [](const QString &text) { Output::hint(text); };
    const QList<QJsonObject> rows = co_await measureRecipes(server, options, progress);
    if (!server.isPrivate()) {
        BenchSessions cleaner;
        co_await cleaner.open(server, 1);
        co_await removeTree(cleaner.first(), options.root);
    }
    if (context.out().isTable()) {
        printTable(context.out(), rows, options.peers);
        co_return ExitOk;
    }
    context.out().list("rows", {}, rows,
                       {{QStringLiteral("bench"), QStringLiteral("recipes")},
                        {QStringLiteral("elapsed_ms"), qint64(options.duration.count())}});
    co_return ExitOk;
}

} // namespace

Command benchRecipes()
{
    return {.name = "bench recipes",
            .summary = "Measure recipes, side by side with Curator and kazoo",
            .details =
                "Locks, queues and the latch, each on the same private ZooKeeper and over the same injected round "
                "trip: ours, then the peers', then the next. A ratio above 1 is in our favour. Queues of ours offer "
                "and take 100 items at a time; the others have no such call. The peers are the programs curator-peer "
                "and kazoo-peer of Drover's tests, beside drover or in the folder DROVER_PEERS.",
            .options = {option("against", "curator, kazoo or both, with a comma (default: none)", "LIBRARIES"),
                        forOption("how long to measure each (default: 5s)")},
            .examples = {"drover bench recipes --for 3s --against curator,kazoo"},
            .run = execute};
}

} // namespace drover::app
