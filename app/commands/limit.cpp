#include "app/commands/commands.h"
#include "app/coordination.h"
#include "app/failure.h"
#include "app/units.h"
#include "jobs/limits.h"

namespace drover::app {

namespace {

async::Task<int> unset(Context &context, QByteArray name)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const bool done = co_await jobs::unsetLimit(*zk, context.layout(), name);
    if (!done)
        throw CommandError(ExitWrongState,
                           QStringLiteral("the limit %1 is in use: somebody holds a permit or waits for one; drover "
                                          "limit set %1 1 lets one run at a time, as if nobody had set it")
                               .arg(QString::fromLatin1(name)));
    co_return ExitOk;
}

async::Task<int> set(Context &context)
{
    const QByteArray name = placeName("limit", context.arguments().at(0));
    if (context.arguments().at(1) == u"none")
        co_return co_await unset(context, name);
    const qint64 permits = parseInteger(context.arguments().at(1), QStringLiteral("K"), 1, jobs::MaxPermits);
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
    return {
        .name = "limit set",
        .synopsis = "[OPTIONS] NAME K|none",
        .summary = "Let at most K of the jobs that ask for the limit NAME run at a time",
        .details =
            "A limit that nobody has set lets one run at a time; none unsets it, if nobody holds a permit or waits\n"
            "for one. Those that run already go on when it is lowered.",
        .takes = {{ValueKind::Limit}, {}},
        .minArguments = 2,
        .maxArguments = 2,
        .check = "drover limit ls",
        .run = set};
}

Command limitLs()
{
    return {.name = "limit ls", .synopsis = "[OPTIONS]", .summary = "List the limits", .run = list};
}

} // namespace drover::app
