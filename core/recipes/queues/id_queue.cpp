#include "recipes/queues/id_queue.h"

#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

std::optional<ListedItem> parseIdentified(const QByteArray &name)
{
    const std::optional<EntryName> parts = EntryName::parse(name);
    if (!parts)
        return std::nullopt;
    return ListedItem{name, 0, parts->sequence, {}};
}

} // namespace

IdQueue::IdQueue(zk::Client &zk, zk::Path queue) : LockingQueue(zk, std::move(queue), EntryNames{parseIdentified, {}})
{
}

async::Task<void> IdQueue::put(QByteArray id, QByteArray item)
{
    QByteArrayList items;
    items.push_back(std::move(item));
    return putAll(std::move(id), std::move(items));
}

async::Task<void> IdQueue::putAll(QByteArray id, QByteArrayList items)
{
    if (id.isEmpty())
        throw std::invalid_argument("an item's id must not be empty");
    return putUnder(id.toPercentEncoding(), std::move(items));
}

QByteArray IdQueue::idOf(const ClaimedItem &claim)
{
    return QByteArray::fromPercentEncoding(EntryName::parse(claim.name())->key);
}

async::Task<std::vector<ListedItem>> IdQueue::entriesOf(QByteArray id)
{
    std::vector<ListedItem> all = co_await entries();
    const QByteArray key = id.toPercentEncoding();
    std::erase_if(all, [&](const ListedItem &entry) { return EntryName::parse(entry.name)->key != key; });
    co_return all;
}

async::Task<QByteArrayList> IdQueue::find(QByteArray id)
{
    const std::vector<ListedItem> found = co_await entriesOf(id);
    QByteArrayList items;
    for (const ListedItem &entry : found) {
        const Answer<zk::Node> node = co_await Persistent(client()).get(path() / "entries" / entry.name);
        if (node.ok())
            items.push_back(node->data);
    }
    co_return items;
}

async::Task<int> IdQueue::remove(QByteArray id)
{
    const std::vector<ListedItem> found = co_await entriesOf(id);
    int removed = 0;
    for (const ListedItem &entry : found) {
        const bool gone = co_await removeEntry(entry.name);
        removed += gone ? 1 : 0;
    }
    co_return removed;
}

async::Task<bool> IdQueue::removeEntry(QByteArray name)
{
    const zk::Path taken = path() / "taken" / name;
    const zk::Path entry = path() / "entries" / name;
    zk::Transaction transaction;
    transaction.create(taken, {}, zk::CreateMode::Ephemeral).remove(taken).remove(entry);
    bool lost = false;
    for (;;) {
        try {
            const Answer<zk::Committed> committed = co_await client().commit(transaction);
            if (committed.ok())
                co_return true;
            if (committed.is(Code::NoNode) && committed->refusedAt() == 0u) {
                co_await client().ensurePath(taken.parent());
                continue;
            }
            co_return lost &&committed.is(Code::NoNode);
        } catch (const zk::ConnectionLoss &) {
            lost = true;
        }
        co_await client().connected();
    }
}

} // namespace drover::recipes
