#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "jobs/cluster/limits.h"

namespace drover::app {

namespace {

async::Task<int> unset(Context &context, QByteArray name)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const bool done = co_await jobs::unsetLimit(cluster, name);
    if (!done)
        throw CommandError(ExitWrongState,
                           QStringLiteral("the limit %1 is in use: jobs hold a permit or wait for one; drover "
                                          "limit set %1 1 lets one run at a time, as if it was not set")
                               .arg(QString::fromLatin1(name)));
    co_return ExitOk;
}

async::Task<int> set(Context &context)
{
    const QByteArray name = placeName("limit", context.arguments().at(0));
    if (context.arguments().at(1) == u"none")
        co_return co_await unset(context, name);
    const qint64 permits =
        parseInteger(context.arguments().at(1), QStringLiteral("K (none for no limit)"), 1, jobs::MaxPermits);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await jobs::setLimit(cluster, name, static_cast<int>(permits));
    co_return ExitOk;
}

async::Task<int> list(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    const std::vector<jobs::Limit> limits = co_await jobs::listLimits(cluster);
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
            .synopsis = "[OPTIONS] NAME K|none",
            .summary = "Let at most K of the jobs that ask for the limit NAME run at a time",
            .details = "A limit that was not set lets one run at a time; none unsets it, unless jobs hold a permit or "
                       "wait for one. Those that run already go on when it is lowered.",
            .takes = {{CompletionKind::Limit}, {}},
            .needs = {{trust::Role::Submit}},
            .check = "drover limit ls",
            .examples = {"drover limit set licences 3", "drover limit set licences none"},
            .exits = {{"4", "the limit is in use: none is refused"}},
            .run = set};
}

Command limitLs()
{
    return {.name = "limit ls",
            .summary = "List the limits",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover limit ls"},
            .run = list};
}

} // namespace drover::app
