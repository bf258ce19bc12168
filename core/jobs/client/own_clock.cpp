#include "jobs/client/own_clock.h"

#include "jobs/model/errors.h"
#include "text/clock_difference.h"
#include "zk/error.h"
#include "zk/server_clock.h"

#include <QUuid>

namespace drover::jobs {

using std::chrono::milliseconds;

namespace {

constexpr std::chrono::minutes MostAhead{5}; // workers allow as much (jobs/decision/decision.cpp)

// When the servers made a node that has gone again.
async::Task<std::optional<milliseconds>> stampOfANode(zk::Client &zk, zk::Path path)
{
    try {
        const zk::Answer<zk::Created> made = co_await zk.create(path, QByteArray(), zk::CreateMode::Ephemeral);
        if (!made.ok())
            co_return std::nullopt;
        zk.discard(path); // or it goes with the session
        co_return milliseconds(made->stat.ctime);
    } catch (const zk::AccessDenied &) {
        co_return std::nullopt;
    }
}

} // namespace

async::Task<std::optional<milliseconds>> ownClockAhead(Cluster cluster)
{
    async::Loop &loop = cluster.zk.loop();
    const QByteArray name = "clock-" + loop.makeUuid().toByteArray(QUuid::WithoutBraces);
    const milliseconds sent = loop.wallClock();
    const std::optional<milliseconds> stamp = co_await stampOfANode(cluster.zk, cluster.layout.submitters() / name);
    if (!stamp)
        co_return std::nullopt;
    zk::ServerClock clock(loop);
    clock.measured(sent, loop.wallClock(), *stamp);
    co_return clock.ahead();
}

async::Task<void> requireClockToSign(Cluster cluster)
{
    if (!cluster.credentials)
        co_return;
    std::optional<milliseconds> ahead;
    try {
        const std::optional<milliseconds> measured = co_await ownClockAhead(cluster);
        ahead = measured;
    } catch (const zk::ConnectionLoss &) {
    }
    if (ahead && *ahead > MostAhead)
        throw WrongState(QStringLiteral("the clock of this machine is %1, so workers would refuse the job as signed in "
                                        "the future; set it right first")
                             .arg(text::clockDifference(*ahead)));
}

} // namespace drover::jobs
