#include "recipes/queues/delay_queue.h"

namespace drover::recipes {

namespace {

constexpr int Digits = 13;
constexpr std::chrono::milliseconds Latest{9'999'999'999'999};

std::optional<ListedItem> parseDelayed(const QByteArray &name)
{
    const std::optional<EntryName> parts = EntryName::parse(name);
    bool isNumber = false;
    const qint64 ms = parts ? parts->key.toLongLong(&isNumber) : 0;
    if (!isNumber)
        return std::nullopt;
    return ListedItem{name, ms, parts->sequence, std::chrono::milliseconds(ms)};
}

} // namespace

DelayQueue::DelayQueue(zk::Client &zk, zk::Path queue)
    : LockingQueue(zk, std::move(queue), EntryNames{parseDelayed, [&loop = zk.loop()] { return loop.wallClock(); }}),
      m_loop(zk.loop())
{
}

async::Task<void> DelayQueue::put(QByteArray item, std::chrono::milliseconds notBefore)
{
    QByteArrayList items;
    items.push_back(std::move(item));
    return putAll(std::move(items), notBefore);
}

async::Task<void> DelayQueue::putAll(QByteArrayList items, std::chrono::milliseconds notBefore)
{
    if (notBefore.count() < 0 || notBefore > Latest)
        throw std::invalid_argument("an item's time is in milliseconds since 1970, of at most 13 digits");
    return putUnder(QByteArray::number(static_cast<qint64>(notBefore.count())).rightJustified(Digits, '0'),
                    std::move(items));
}

} // namespace drover::recipes
