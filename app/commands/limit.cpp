#include "app/commands/commands.h"
#include "app/coordination.h"
#include "app/units.h"
#include "jobs/limits.h"

namespace drover::app {

namespace {

async::Task<int> set(Context &context)
{
    const qint64 permits = parseInteger(context.arguments().at(1), QStringLiteral("K"), 1, jobs::MaxPermits);
    const QByteArray name = placeName("limit", context.arguments().at(0));
    zk::Coordinator *const zk = co_await context.openCluster();
    co_await jobs::setLimit(*zk, context.layout(), name, static_cast<int>(permits));
    co_return ExitOk;
}

async::Task<int> list(Context &context)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const std::vector<jobs::Limit> limits = co_await jobs::listLimits(*zk, context.layout());
    QList<QJsonObject> rows;
    for (const jobs::Limit &limit : limits)
        rows.append({{QStringLiteral("limit"), QString::fromLatin1(limit.name)},
                     {QStringLiteral("permits"), limit.permits},
                     {QStringLiteral("held"), limit.held}});
    context.out().list(
        "limits",
        {{"limit", "LIMIT"}, {"permits", "PERMITS", Column::Kind::Number}, {"held", "HELD", Column::Kind::Number}},
        rows);
    co_return ExitOk;
}

} // namespace

Command limitSet()
{
    return {.name = "limit set",
            .synopsis = "[OPTIONS] NAME K",
            .summary = "Let at most K of the jobs that ask for the limit NAME run at a time",
            .details = "A limit that nobody has set lets one run. Those that run already go on when it is lowered.",
            .takes = {{ValueKind::Limit}, {}},
            .minArguments = 2,
            .maxArguments = 2,
            .run = set};
}

Command limitLs()
{
    return {.name = "limit ls", .synopsis = "[OPTIONS]", .summary = "List the limits", .run = list};
}

} // namespace drover::app
