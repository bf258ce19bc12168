#include "recipes/queues/locking_queue.h"

#include "async/or_timeout.h"
#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

constexpr int OperationsPerClaim = 2; // set, create

zk::Path entryOf(const zk::Path &queue, const QByteArray &name)
{
    return queue / "entries" / name;
}

zk::Path takenOf(const zk::Path &queue, const QByteArray &name)
{
    return queue / "taken" / name;
}

// Sends: delete `taken` if it is of the claim that gave the entry this version, on top of `conditions`.
zk::Reply<zk::Committed> sendLetGo(zk::Client &zk, const zk::Path &queue, const QByteArray &name, qint32 version,
                                   zk::Transaction conditions)
{
    conditions.check(entryOf(queue, name), version).remove(takenOf(queue, name));
    return zk.commit(conditions);
}

// Throws ConnectionLoss.
async::Task<void> letGo(zk::Client &zk, zk::Path queue, QByteArray name, qint32 version)
{
    const zk::Transaction unconditionally;
    const Answer<zk::Committed> committed = co_await sendLetGo(zk, queue, name, version, unconditionally);
    if (committed.is(Code::NoNode) && committed->refusedAt() == 0u)
        zk.discardOwned(takenOf(queue, name)); // the item itself was deleted
}

// Releases claims whose outcome is unknown. Their receipt shows whether they were made: the version of an entry alone
// cannot distinguish our claim from a faster client's.
async::Task<void> letAllGo(zk::Client &zk, zk::Path queue, QueueProtocol::InDoubt claims)
{
    zk::Transaction made;
    made.check(claims.receipt.path, claims.receipt.version);
    std::vector<zk::Reply<zk::Committed>> replies;
    for (const Taker::Item &item : claims.items)
        replies.push_back(sendLetGo(zk, queue, item.entry.name, item.version + 1, made));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        const Answer<zk::Committed> committed = co_await replies[i];
        if (committed.is(Code::NoNode) && committed->refusedAt() == 1u)
            zk.discardOwned(takenOf(queue, claims.items[i].entry.name));
    }
    zk.discard(claims.receipt.path);
}

std::optional<ListedItem> parseByPriority(const QByteArray &name)
{
    const std::optional<EntryName> parts = EntryName::parse(name);
    bool isNumber = false;
    const int priority = parts ? parts->key.toInt(&isNumber) : 0;
    if (!isNumber)
        return std::nullopt;
    return ListedItem{name, priority, parts->sequence, {}};
}

QueueProtocol protocolOf(async::Loop &loop, const zk::Path &queue, EntryNames names)
{
    QueueProtocol protocol;
    protocol.items = queue / "entries";
    protocol.side = queue / "drover";
    protocol.taken = queue / "taken";
    protocol.parse = std::move(names.parse);
    protocol.now = std::move(names.now);
    const QByteArray id = loop.makeUuid().toByteArray(QUuid::Id128);
    protocol.take = [queue, id](zk::Transaction &transaction, const Taker::Item &item) {
        transaction.set(entryOf(queue, item.entry.name), item.data, item.version)
            .create(takenOf(queue, item.entry.name), id, zk::CreateMode::Ephemeral);
    };
    protocol.operations = OperationsPerClaim;
    protocol.undo = [queue](zk::Client &zk, QueueProtocol::InDoubt claims) {
        return letAllGo(zk, queue, std::move(claims));
    };
    return protocol;
}

} // namespace

std::optional<EntryName> EntryName::parse(const QByteArray &name)
{
    const std::optional<qint32> sequence = zk::sequenceOf(name);
    if (!sequence)
        return std::nullopt;
    const QByteArray start = prefix({}).chopped(1);
    const QByteArray end = '-' + zk::sequenceText(*sequence);
    if (!name.startsWith(start) || !name.endsWith(end) || name.size() <= start.size() + end.size())
        return std::nullopt;
    return EntryName{name.mid(start.size(), name.size() - start.size() - end.size()), *sequence};
}

// Claim

ClaimedItem::ClaimedItem(zk::Client &zk, zk::Path queue, QueueProtocol::Item item, zk::Zxid czxid)
    : m_zk(&zk), m_queue(std::move(queue)),
      m_item(std::move(item)), m_fence{takenOf(m_queue, m_item.entry.name), czxid, zk.sessionId(),
                                       zk::Transaction::Check{entryOf(m_queue, m_item.entry.name), m_item.version}}
{
}

ClaimedItem::ClaimedItem(ClaimedItem &&other) noexcept
    : m_zk(std::exchange(other.m_zk, nullptr)), m_queue(std::move(other.m_queue)), m_item(std::move(other.m_item)),
      m_fence(std::move(other.m_fence))
{
}

ClaimedItem &ClaimedItem::operator=(ClaimedItem &&other) noexcept
{
    std::swap(m_zk, other.m_zk);
    std::swap(m_queue, other.m_queue);
    std::swap(m_item, other.m_item);
    std::swap(m_fence, other.m_fence);
    return *this;
}

ClaimedItem::~ClaimedItem()
{
    release();
}

void ClaimedItem::release()
{
    if (!m_zk)
        return;
    zk::Client *zk = std::exchange(m_zk, nullptr);
    zk->retryInBackground([zk, queue = m_queue, name = m_item.entry.name, version = m_item.version] {
        return letGo(*zk, queue, name, version);
    });
}

async::Task<bool> ClaimedItem::consume()
{
    zk::Transaction transaction;
    transaction.remove(entryOf(m_queue, m_item.entry.name), m_item.version).remove(m_fence.path);
    std::optional<zk::Reply<zk::Committed>> sent;
    if (m_zk)
        sent = m_zk->commit(transaction);
    return finishConsuming(std::move(*this), std::move(transaction), std::move(sent));
}

// `claim` is released when this task is destroyed, or if the item was not deleted.
async::Task<bool> ClaimedItem::finishConsuming(ClaimedItem claim, zk::Transaction transaction,
                                               std::optional<zk::Reply<zk::Committed>> sent)
{
    bool lost = false;
    while (sent) {
        try {
            const Answer<zk::Committed> committed = co_await *sent;
            const bool before = lost && committed.is(Code::NoNode) && committed->refusedAt() == 0u;
            if (committed.ok() || before)
                claim.m_zk.clear();
            co_return committed.ok() || before;
        } catch (const zk::ConnectionLoss &) {
            lost = true;
        }
        co_await claim.m_zk->connected();
        sent = claim.m_zk->commit(transaction);
    }
    co_return false;
}

async::Task<bool> ClaimedItem::holdsLock()
{
    if (!m_zk)
        co_return false;
    zk::Client &zk = *m_zk;
    const Answer<zk::Stat> stat = co_await Persistent(zk).afterSync(m_fence.path).exists(m_fence.path);
    co_return stat.ok() && stat->czxid == m_fence.czxid;
}

// LockingQueue

LockingQueue::LockingQueue(zk::Client &zk, zk::Path queue)
    : LockingQueue(zk, std::move(queue), EntryNames{parseByPriority, {}})
{
}

LockingQueue::LockingQueue(zk::Client &zk, zk::Path queue, EntryNames names)
    : m_zk(zk), m_queue(std::move(queue)), m_appender(zk, m_queue / "entries", m_queue / "drover"),
      m_taker(zk, protocolOf(zk.loop(), m_queue, std::move(names)))
{
}

async::Task<void> LockingQueue::put(QByteArray item, int priority)
{
    QByteArrayList items;
    items.push_back(std::move(item));
    return putAll(std::move(items), priority);
}

async::Task<void> LockingQueue::putAll(QByteArrayList items, int priority)
{
    if (priority < 0 || priority > 999)
        throw std::invalid_argument("a priority is 0 (first) to 999");
    return putUnder(QByteArray::number(priority).rightJustified(3, '0'), std::move(items));
}

async::Task<void> LockingQueue::putUnder(QByteArray key, QByteArrayList items)
{
    return m_appender.append(EntryName::prefix(key), std::move(items));
}

async::Task<ClaimedItem> LockingQueue::get()
{
    std::vector<ClaimedItem> claims = co_await getSome(1);
    co_return std::move(claims.front());
}

async::Task<std::optional<ClaimedItem>> LockingQueue::get(async::Duration limit)
{
    try {
        auto getting = async::orTimeout(m_zk.loop(), get(), limit);
        ClaimedItem claim = co_await getting;
        co_return std::optional<ClaimedItem>(std::move(claim));
    } catch (const async::Timeout &) {
    }
    co_return std::nullopt;
}

async::Task<std::vector<ClaimedItem>> LockingQueue::getSome(int atMost)
{
    Taker::Taken taken = co_await m_taker.take(atMost, Taker::Wait::Yes);
    const zk::Zxid zxid = taken.results.empty() ? 0 : taken.results.front().stat.mzxid; // one transaction, one zxid
    std::vector<ClaimedItem> claims;
    for (QueueProtocol::Item &item : taken.items) {
        ++item.version; // by our claim
        claims.push_back(ClaimedItem(m_zk, m_queue, std::move(item), zxid));
    }
    if (zxid == 0 && !claims.empty()) {
        const Answer<zk::Stat> stat = co_await Persistent(m_zk).exists(claims.front().m_fence.path);
        for (ClaimedItem &claim : claims)
            claim.m_fence.czxid = stat->czxid;
    }
    co_return claims;
}

async::Task<qsizetype> LockingQueue::size()
{
    const std::vector<ListedItem> all = co_await entries();
    co_return static_cast<qsizetype>(all.size());
}

} // namespace drover::recipes
