#include "recipes/values/counter.h"

#include "app/cli/units.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"

namespace drover::app {

namespace {

template <typename AnyCounter>
async::Task<qint64> getOrAdd(RecipeNode place, std::optional<qint64> delta)
{
    using Number = typename decltype(AnyCounter::decode(QByteArray()))::value_type;
    AnyCounter counter(*place.zk, place.path);
    Number value = 0;
    if (delta)
        value = co_await counter.add(static_cast<Number>(*delta));
    else
        value = co_await counter.get();
    co_return value;
}

async::Task<qint64> valueAt(RecipeNode place, bool shared, std::optional<qint64> delta)
{
    QString trouble;
    qsizetype size = 0;
    try {
        if (shared)
            co_return co_await getOrAdd<recipes::SharedCount>(place, delta);
        co_return co_await getOrAdd<recipes::Counter>(place, delta);
    } catch (const recipes::NotACounter &other) {
        trouble = QString::fromUtf8(other.what());
        size = other.size();
    }
    QString advice = QStringLiteral("use another znode");
    if (!shared && size == sizeof(qint32))
        advice = QStringLiteral("--shared-count reads four bytes, as Curator's SharedCount does");
    else if (shared && size == sizeof(qint64))
        advice = QStringLiteral("leave --shared-count out to share it with Curator's DistributedAtomicLong");
    throw UsageError(QStringLiteral("%1; nothing was added: %2").arg(trouble, advice));
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString verb = arguments.at(1);
    const bool adds = verb == u"add";
    if (adds != (arguments.positional().size() == 3))
        throw UsageError(adds ? QStringLiteral("say how much to add: drover counter NAME add N")
                              : QStringLiteral("drover counter NAME get takes no number"));
    const bool shared = arguments.has("shared-count");
    const qint64 limit = shared ? std::numeric_limits<qint32>::max() : std::numeric_limits<qint64>::max();
    std::optional<qint64> delta;
    if (adds)
        delta = parseInteger(arguments.at(2), QStringLiteral("N"), -limit, limit);
    const RecipeNode place = co_await openRecipeNode(context, "counter", &jobs::Layout::counter);
    const qint64 value = co_await valueAt(place, shared, delta);
    if (context.out().isTable())
        context.out().line(QString::number(value));
    else
        context.out().object({}, {{QStringLiteral("counter"), arguments.at(0)}, {QStringLiteral("count"), value}});
    co_return ExitOk;
}

} // namespace

Command counter()
{
    return {.name = "counter",
            .synopsis = "[OPTIONS] NAME get | add N",
            .summary = "Read a counter, or add to it and print the sum",
            .details =
                "A counter that was never written is 0. A negative N is subtracted: add -5. --path shares it with "
                "Curator's DistributedAtomicLong; with --shared-count, which has 32 bits, with Curator's SharedCount "
                "and with kazoo's Counter of support_curator=True. A number that is stored in another way is refused.",
            .options = {option("shared-count", "the number is a SharedCount of 32 bits"), pathOption()},
            .verbs = {{QStringLiteral("get")}, {QStringLiteral("add"), {}, "drover counter %1 get"}},
            .takes = {{CompletionKind::Counter}, {}},
            .argumentCount = {2, 3},
            .takesNumber = true,
            .needs = {{trust::Role::Viewer, QStringLiteral("get")}, {trust::Role::Submit}},
            .examples = {"drover counter tickets add 1", "drover counter tickets get"},
            .run = execute};
}

} // namespace drover::app
