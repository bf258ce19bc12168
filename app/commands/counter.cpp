#include "recipes/counter.h"

#include "app/commands/commands.h"
#include "app/coordination.h"
#include "app/units.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString verb = arguments.at(1);
    const bool adds = verb == u"add";
    if (adds != (arguments.positional().size() == 3))
        throw UsageError(adds ? QStringLiteral("say how much to add: drover counter NAME add N")
                              : QStringLiteral("drover counter NAME get takes no number"));
    constexpr qint64 limit = std::numeric_limits<qint64>::max();
    const qint64 delta = adds ? parseInteger(arguments.at(2), QStringLiteral("N"), -limit, limit) : 0;
    const Place place = co_await openPlace(context, "counter", &jobs::Layout::counter);
    recipes::Counter counter(*place.zk, place.path);
    qint64 value = 0;
    if (adds)
        value = co_await counter.add(delta);
    else
        value = co_await counter.get();
    if (context.out().isTable())
        context.out().line(QString::number(value));
    else
        context.out().object({}, {{QStringLiteral("counter"), arguments.at(0)}, {QStringLiteral("value"), value}});
    co_return ExitOk;
}

} // namespace

Command counter()
{
    return {.name = "counter",
            .synopsis = "[OPTIONS] NAME get | add N",
            .summary = "Read a counter, or add to it and print the sum",
            .details = "A counter that nobody has written is 0. To subtract: drover counter NAME add -5\n"
                       "--path shares it with Curator's DistributedAtomicLong.",
            .options = {pathOption()},
            .verbs = {{QStringLiteral("get")}, {QStringLiteral("add")}},
            .takes = {{ValueKind::Counter}, {}},
            .minArguments = 2,
            .maxArguments = 3,
            .takesNumber = true,
            .run = execute};
}

} // namespace drover::app
