#include "app/bench/recipes_bench.h"

#include "app/bench/benches.h"
#include "app/bench/setup/bench_sessions.h"
#include "app/cli/failure.h"

#include <cmath>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

struct Work {
    QString name; // the peers know it by this
    std::chrono::milliseconds roundTrip{0};
    QJsonObject parameters{};
    qint64 sessions = 1;
    MeasureIn ours{};
    QStringList theirs{}; // arguments of the peer's bench; none: they do not do it
    const char *unit = "per_s"; // the figure that is compared
    bool lessIsBetter = false;
};

constexpr int Batch = 100; // items that ours offers or takes at a time
constexpr int ManyWaiters = 1000;
constexpr int ManyWaitersSessions = 10;

Work lockWork(int clients, std::chrono::milliseconds roundTrip, std::chrono::milliseconds duration)
{
    return {.name = QStringLiteral("lock"),
            .roundTrip = roundTrip,
            .parameters = {{QStringLiteral("clients"), clients}},
            .sessions = clients,
            .ours = inDirectory(measureLock, {.duration = duration}),
            .theirs = {QString::number(clients), QString::number(duration / 1s)}};
}

Work readWriteWork(int clients, std::chrono::milliseconds duration)
{
    return {.name = QStringLiteral("rw"),
            .parameters = {{QStringLiteral("clients"), clients}},
            .sessions = clients,
            .ours = inDirectory(measureLock, {.duration = duration, .contention = contendForReadWriteLock}),
            .theirs = {QString::number(clients), QString::number(duration / 1s)}};
}

// The peers count items, not seconds: about as many as the slowest of them delivers in that time.
Work queueWork(int producers, int consumers, std::chrono::milliseconds roundTrip, std::chrono::milliseconds duration)
{
    const qint64 items = std::max<qint64>(50, (duration / 1s) * (roundTrip > 0ms ? 30 : 300));
    return {.name = QStringLiteral("queue"),
            .roundTrip = roundTrip,
            .parameters = {{QStringLiteral("producers"), producers}, {QStringLiteral("consumers"), consumers}},
            .sessions = producers + consumers,
            .ours = inDirectory(measureQueue, {.duration = duration, .producers = producers, .batch = Batch}),
            .theirs = {QString::number(producers), QString::number(consumers), QString::number(items)}};
}

Work latchWork(std::chrono::milliseconds duration)
{
    return {.name = QStringLiteral("latch"),
            .sessions = 2,
            .ours = inDirectory(measureElection, {.duration = duration}),
            .theirs = {QString::number(20 * (duration / 1s))},
            .unit = "median_ms",
            .lessIsBetter = true};
}

Work wakeUpsWork(std::chrono::milliseconds duration)
{
    return {.name = QStringLiteral("wakeups"),
            .parameters = {{QStringLiteral("clients"), ManyWaiters}},
            .sessions = ManyWaitersSessions,
            .ours = inDirectory(measureLock,
                                {.duration = duration, .contendersPerSession = ManyWaiters / ManyWaitersSessions}),
            .unit = "wakeups",
            .lessIsBetter = true};
}

std::vector<Work> allWorks(std::chrono::milliseconds duration)
{
    return {lockWork(1, 10ms, duration),
            lockWork(8, 10ms, duration),
            lockWork(1, 0ms, duration),
            lockWork(2, 0ms, duration),
            lockWork(8, 0ms, duration),
            lockWork(32, 0ms, duration),
            readWriteWork(8, duration),
            queueWork(1, 1, 0ms, duration),
            queueWork(4, 8, 0ms, duration),
            queueWork(1, 1, 10ms, duration),
            queueWork(4, 8, 10ms, duration),
            latchWork(duration),
            wakeUpsWork(duration)};
}

double rounded(double value)
{
    return std::round(value * 1000) / 1000;
}

async::Task<double> measureOurs(BenchServer &server, const Work &work, zk::Path path)
{
    BenchSessions sessions;
    co_await sessions.open(server, work.sessions);
    co_await sessions.first().ensurePath(path.parent());
    const Figures figures = co_await work.ours(sessions.all(), path);
    co_return figures.value(work.unit).toDouble();
}

async::Task<void> addPeer(RecipesBenchRow &row, BenchServer &server, const Work &work, const Peer &peer, zk::Path path,
                          std::chrono::milliseconds limit)
{
    const double ours = row.value(QStringLiteral("drover")).toDouble();
    const QStringList words = QStringList{work.name, path.toString()} + work.theirs;
    try {
        const QJsonObject answer = co_await peer.measure(server.loop(), server.address(), words, limit);
        const double theirs = answer.value(QLatin1String(work.unit)).toDouble();
        row.insert(peer.library(), rounded(theirs));
        const double ratio = work.lessIsBetter ? theirs / std::max(ours, 1e-6) : ours / std::max(theirs, 1e-6);
        row.insert(peer.library() + QStringLiteral("_ratio"), rounded(ratio));
    } catch (const CommandError &error) {
        row.insert(peer.library() + QStringLiteral("_error"), QString::fromUtf8(error.what()));
    }
}

} // namespace

async::Task<QList<RecipesBenchRow>> measureRecipes(BenchServer &server, RecipesBenchOptions options,
                                                   std::function<void(const QString &)> progress)
{
    const std::chrono::milliseconds limit = 60s + 10 * options.duration;
    const std::vector<Work> works = allWorks(options.duration);
    // A JVM that has just started interprets its code: the first seconds would measure that.
    const double unused = co_await measureOurs(server, lockWork(8, 0ms, 2s), options.root / "warm");
    Q_UNUSED(unused)
    QList<RecipesBenchRow> rows;
    for (const Work &work : works) {
        server.injectRoundTrip(work.roundTrip);
        const QByteArray number = QByteArray::number(rows.size());
        RecipesBenchRow row = work.parameters;
        row.insert(QStringLiteral("work"), work.name);
        row.insert(QStringLiteral("rtt_ms"), static_cast<qint64>(work.roundTrip.count()));
        row.insert(QStringLiteral("unit"), QLatin1String(work.unit));
        progress(QStringLiteral("%1 of %2: %3").arg(rows.size() + 1).arg(works.size()).arg(work.name));
        const double ours = co_await measureOurs(server, work, options.root / ("drover-" + number));
        row.insert(QStringLiteral("drover"), rounded(ours));
        for (const Peer &peer : options.peers) {
            if (work.theirs.isEmpty())
                continue;
            const zk::Path path = options.root / (peer.library().toUtf8() + '-' + number);
            co_await addPeer(row, server, work, peer, path, limit);
        }
        rows.append(row);
    }
    server.injectRoundTrip(0ns);
    co_return rows;
}

} // namespace drover::app
