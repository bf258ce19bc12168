#include "app/doctor/clock_checks.h"

#include "text/clock_difference.h"
#include "zk/error.h"
#include "zk/server_clock.h"

#include <QUuid>

#include <optional>

namespace drover::app {

using zk::Answer;

namespace {

// When the servers made a node that has gone again. Nothing: it may not be made.
async::Task<std::optional<std::chrono::milliseconds>> stampOfANode(zk::Client &zk, zk::Path path)
{
    try {
        const Answer<zk::Created> made = co_await zk.create(path, QByteArray(), zk::CreateMode::Ephemeral);
        if (!made.ok())
            co_return std::nullopt;
        zk.discard(path); // or it goes with the session
        co_return std::chrono::milliseconds(made->stat.ctime);
    } catch (const zk::AccessDenied &) {
        co_return std::nullopt;
    }
}

} // namespace

async::Task<void> checkOwnClock(jobs::Cluster cluster, Findings &findings)
{
    async::Loop &loop = cluster.zk.loop();
    const QByteArray name = "clock-" + loop.makeUuid().toByteArray(QUuid::WithoutBraces);
    const std::chrono::milliseconds sent = loop.wallClock();
    const std::optional<std::chrono::milliseconds> stamp =
        co_await stampOfANode(cluster.zk, cluster.layout.submitters() / name);
    if (!stamp)
        co_return;
    zk::ServerClock clock(loop);
    clock.measured(sent, loop.wallClock(), *stamp);
    const std::chrono::milliseconds ahead = clock.ahead();
    if (std::chrono::abs(ahead) < text::ClockTolerance)
        co_return;
    findings.append({Finding::Level::Warning, QStringLiteral("clock"),
                     QStringLiteral("the clock of this machine is %1").arg(text::clockDifference(ahead)),
                     QStringLiteral("set it (NTP): workers may refuse jobs that are signed here, and --start-at and "
                                    "the ages in tables go by it")});
}

} // namespace drover::app
