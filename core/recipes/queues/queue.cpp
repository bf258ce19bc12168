#include "recipes/queues/queue.h"

#include "async/or_timeout.h"
#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

constexpr char Prefix[] = "qn-";

std::optional<ListedItem> parseQueued(const QByteArray &name)
{
    const std::optional<qint32> sequence = zk::sequenceOf(name);
    if (!sequence || !name.startsWith(Prefix))
        return std::nullopt;
    return ListedItem{name, 0, *sequence, {}};
}

// Makes the items again if the transaction that deleted them was carried out, once: deleting the receipt at the version
// which that gave it is part of it. `directory` is compared by its czxid: in another of the same name the old numbers
// are still to come, and a node in their way would stop its counter.
async::Task<void> putBack(zk::Client &zk, zk::Path directory, QueueProtocol::InDoubt take)
{
    for (;;) {
        const Answer<zk::Stat> present = co_await zk.exists(directory);
        if (!present.ok())
            co_await zk.ensurePath(directory);
        const bool same = present.ok() && present->czxid == take.directory;
        zk::Transaction transaction;
        transaction.remove(take.receipt.path, take.receipt.version);
        for (const Taker::Item &item : take.items) {
            if (same)
                transaction.create(directory / item.entry.name, item.data);
            else
                transaction.create(directory / Prefix, item.data, zk::CreateMode::PersistentSequential);
        }
        const Answer<zk::Committed> committed = co_await zk.commit(transaction);
        if (committed.ok())
            co_return;
        if (committed->refusedAt() == 0u) { // not taken, or put back already
            const Answer<zk::Nothing> removed = co_await zk.remove(take.receipt.path);
            co_return;
        }
        committed.requireUnless(Code::NoNode);
    }
}

QByteArrayList dataOf(const std::vector<Taker::Item> &items)
{
    QByteArrayList data;
    data.reserve(static_cast<qsizetype>(items.size()));
    for (const Taker::Item &item : items)
        data.push_back(item.data);
    return data;
}

QueueProtocol protocolOf(const zk::Path &directory, const zk::Path &side)
{
    QueueProtocol protocol;
    protocol.items = directory;
    protocol.side = side;
    protocol.parse = parseQueued;
    protocol.take = [directory](zk::Transaction &transaction, const Taker::Item &item) {
        transaction.remove(directory / item.entry.name, item.version);
    };
    protocol.undo = [directory](zk::Client &zk, QueueProtocol::InDoubt take) {
        return putBack(zk, directory, std::move(take));
    };
    return protocol;
}

zk::Path sideOf(const zk::Path &directory)
{
    return zk::Path(directory.bytes() + ".drover");
}

} // namespace

QueueEmpty::QueueEmpty(const zk::Path &directory)
    : std::runtime_error("the queue " + directory.bytes().toStdString() + " is empty")
{
}

TakenOrNot::TakenOrNot(QByteArrayList items)
    : zk::SessionLost(QStringLiteral("the ZooKeeper session ended while %1 items were being taken: look whether they "
                                     "are still in the queue")
                          .arg(items.size())),
      m_items(std::move(items))
{
}

Queue::Queue(zk::Client &zk, zk::Path directory)
    : m_zk(zk), m_directory(std::move(directory)), m_appender(zk, m_directory, sideOf(m_directory)),
      m_taker(zk, protocolOf(m_directory, sideOf(m_directory)))
{
}

async::Task<void> Queue::offer(QByteArray item)
{
    QByteArrayList items;
    items.push_back(std::move(item));
    return m_appender.append(Prefix, std::move(items));
}

async::Task<void> Queue::offerAll(QByteArrayList items)
{
    return m_appender.appendAll(Prefix, std::move(items));
}

async::Task<std::optional<QByteArray>> Queue::peek()
{
    for (;;) {
        const std::vector<ListedItem> entries = co_await m_taker.entries();
        if (entries.empty())
            co_return std::nullopt;
        for (const ListedItem &entry : entries) {
            const Answer<zk::Node> node = co_await Persistent(m_zk).get(m_directory / entry.name);
            if (node.ok())
                co_return node->data;
        }
    }
}

async::Task<QByteArray> Queue::element()
{
    const std::optional<QByteArray> head = co_await peek();
    if (!head)
        throw QueueEmpty(m_directory);
    co_return *head;
}

async::Task<std::optional<QByteArray>> Queue::poll()
{
    const QByteArrayList items = co_await collect(1, Taker::Wait::No);
    if (items.isEmpty())
        co_return std::nullopt;
    co_return items.front();
}

async::Task<QByteArray> Queue::remove()
{
    const std::optional<QByteArray> head = co_await poll();
    if (!head)
        throw QueueEmpty(m_directory);
    co_return *head;
}

async::Task<QByteArray> Queue::take()
{
    const QByteArrayList items = co_await collect(1, Taker::Wait::Yes);
    co_return items.front();
}

async::Task<std::optional<QByteArray>> Queue::poll(async::Duration limit)
{
    try {
        auto taking = async::orTimeout(m_zk.loop(), take(), limit);
        co_return co_await taking;
    } catch (const async::Timeout &) {
    }
    co_return std::nullopt;
}

async::Task<QByteArrayList> Queue::takeSome(int atMost)
{
    return collect(atMost, Taker::Wait::Yes);
}

async::Task<QByteArrayList> Queue::pollSome(int atMost)
{
    return collect(atMost, Taker::Wait::No);
}

async::Task<qsizetype> Queue::size()
{
    const std::vector<ListedItem> entries = co_await m_taker.entries();
    co_return static_cast<qsizetype>(entries.size());
}

async::Task<QByteArrayList> Queue::collect(int atMost, Taker::Wait wait)
{
    try {
        const Taker::Taken taken = co_await m_taker.take(atMost, wait);
        co_return dataOf(taken.items);
    } catch (const zk::SessionLost &) {
        if (m_taker.inDoubt().empty())
            throw;
    }
    throw TakenOrNot(dataOf(m_taker.inDoubt()));
}

} // namespace drover::recipes
