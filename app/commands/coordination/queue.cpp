#include "recipes/queues/queue.h"

#include "app/cli/standard_input.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "recipes/blocks/participants.h"

namespace drover::app {

namespace {

constexpr qint64 MostItems = 100'000'000;
constexpr qsizetype AtOnce = 500; // items of one transaction

// Items of another layout would be taken by one side only, and out of order.
async::Task<RecipeNode> openQueue(Context &context)
{
    const RecipeNode place = co_await openRecipeNode(context, "queue", &jobs::Layout::items);
    co_await recipes::requireOnly(*place.zk, place.path, &recipes::Queue::accepts);
    co_return place;
}

void print(const Context &context, const QByteArray &item)
{
    if (context.out().isTable())
        context.out().foreignLine(item, context.arguments().has("raw"));
    else
        context.out().event({{QStringLiteral("item"), QString::fromUtf8(item)}});
}

// What is to be put: the words, or the lines of standard input. That may take long: there is no session yet.
async::Task<QByteArrayList> itemsFrom(QStringList words)
{
    QByteArrayList items;
    for (const QString &word : words)
        items.append(word.toUtf8());
    if (!items.isEmpty())
        co_return items;
    const QByteArray input = co_await readStandardInput();
    items = input.split('\n');
    if (items.last().isEmpty())
        items.removeLast();
    co_return items;
}

QString whatWasPut(qsizetype put, qsizetype next, qsizetype all, const zk::SessionLost &error)
{
    QStringList parts;
    if (put > 0)
        parts.append(QStringLiteral("the first %1 of %2 items are in the queue or have been taken").arg(put).arg(all));
    parts.append(QStringLiteral("items %1 to %2 may have been put or not").arg(put + 1).arg(next));
    if (next < all)
        parts.append(QStringLiteral("the items after item %1 were not").arg(next));
    return QStringLiteral("%1: %2").arg(parts.join(QStringLiteral("; ")), QString::fromUtf8(error.what()));
}

async::Task<int> put(Context &context)
{
    QByteArrayList items = co_await itemsFrom(context.arguments().positional().mid(2));
    const RecipeNode place = co_await openQueue(context);
    recipes::Queue queue(*place.zk, place.path);
    qsizetype put = 0;
    qsizetype next = 0; // behind those under way
    try {
        for (; put < items.size(); put = next) {
            next = std::min(items.size(), put + AtOnce);
            co_await queue.offerAll(items.mid(put, next - put));
        }
        co_return ExitOk;
    } catch (const zk::SessionLost &error) {
        throw CommandError(ExitUnreachable, whatWasPut(put, next, items.size(), error));
    }
}

// When the session ends with a take under way, what is printed may be the only copy of the items.
async::Task<QByteArrayList> takeSome(recipes::Queue &queue, int atMost, const Context &context)
{
    try {
        co_return co_await queue.takeSome(atMost);
    } catch (const recipes::TakenOrNot &lost) {
        for (const QByteArray &item : lost.items())
            print(context, item);
        throw CommandError(
            ExitUnreachable,
            QStringLiteral("the session ended with a take under way: the %1 items printed last may have been taken, or "
                           "be in the queue still; look before going on")
                .arg(lost.items().size()));
    }
}

async::Task<int> take(Context &context)
{
    const Arguments &arguments = context.arguments();
    qint64 wanted = arguments.integer("count", 1, MostItems, 1);
    const RecipeNode place = co_await openQueue(context);
    recipes::Queue queue(*place.zk, place.path);
    while (wanted > 0) {
        const int atMost = static_cast<int>(std::min<qint64>(wanted, 500));
        const QByteArrayList items = co_await withinTimeout(
            context, takeSome(queue, atMost, context),
            QStringLiteral("nothing came into %1 within %2").arg(place.what, arguments.value("timeout")));
        for (const QByteArray &item : items)
            print(context, item);
        wanted -= items.size();
    }
    co_return ExitOk;
}

async::Task<int> peek(Context &context)
{
    const RecipeNode place = co_await openQueue(context);
    recipes::Queue queue(*place.zk, place.path);
    const std::optional<QByteArray> head = co_await queue.peek();
    if (!head)
        throw CommandError(ExitNotFound, QStringLiteral("there is nothing in %1").arg(place.what));
    print(context, *head);
    co_return ExitOk;
}

async::Task<int> list(Context &context)
{
    const RecipeNode place = co_await openQueue(context);
    QList<QJsonObject> rows;
    const std::vector<recipes::Participant> items = co_await recipes::participants(*place.zk, place.path);
    for (const recipes::Participant &item : items)
        rows.append({{QStringLiteral("znode"), item.fence.path.toString()},
                     {QStringLiteral("item"), QString::fromUtf8(item.data)}});
    context.out().list("items", {{"znode", "ZNODE"}, {"item", "ITEM", Column::Kind::Text, true}}, rows);
    co_return ExitOk;
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString verb = arguments.at(1);
    if (verb != u"put" && arguments.positional().size() > 2)
        throw UsageError(QStringLiteral("drover queue NAME %1 takes no items").arg(verb));
    if (verb == u"take")
        co_return co_await take(context);
    if (verb == u"peek")
        co_return co_await peek(context);
    if (verb == u"ls")
        co_return co_await list(context);
    co_return co_await put(context);
}

} // namespace

Command queue()
{
    return {
        .name = "queue",
        .synopsis = "[OPTIONS] NAME put [ITEM...] | take | peek | ls",
        .summary = "Pass items from one process to another, first in, first out",
        .details = "put without items reads standard input, one item a line; all of them are in the queue when it "
                   "returns. take waits for an item and prints it: each goes to one taker. An item that was taken is "
                   "gone, even if its taker dies: for work that must be done there is drover submit. --path shares the "
                   "queue with Curator's SimpleDistributedQueue and ZooKeeper's DistributedQueue; Curator's "
                   "DistributedQueue and kazoo's queues are refused.",
        .options = {option("count", "take so many (default: 1)", "N"),
                    option("timeout", "take: give up when nothing comes for so long, with exit code 124", "DURATION"),
                    rawOption(), pathOption()},
        .verbs = {{QStringLiteral("put"), {}, "drover queue %1 ls"},
                  {QStringLiteral("take"),
                   {QStringLiteral("count"), QStringLiteral("timeout"), QStringLiteral("raw")},
                   "drover queue %1 ls"},
                  {QStringLiteral("peek"), {QStringLiteral("raw")}},
                  {QStringLiteral("ls")}},
        .takes = {{CompletionKind::Items}, {}},
        .argumentCount = {2, Command::Unlimited},
        .needs = {{trust::Role::Submit, QStringLiteral("put")},
                  {trust::Role::Submit, QStringLiteral("take")},
                  {trust::Role::Viewer}},
        .examples = {"drover queue events put hello", "drover queue events take --timeout 10s",
                     "drover queue events ls"},
        .exits = {{"3", "peek: there is nothing in it"}, {"124", "take: --timeout passed and nothing came"}},
        .run = execute};
}

} // namespace drover::app
