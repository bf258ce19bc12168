#include "recipes/locking_queue.h"

#include "async/or_timeout.h"
#include "recipes/persist.h"

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
zk::Reply<zk::Committed> sendLetGo(zk::Coordinator &zk, const zk::Path &queue, const QByteArray &name, qint32 version,
                                   zk::Transaction conditions)
{
    conditions.check(entryOf(queue, name), version).remove(takenOf(queue, name));
    return zk.commit(conditions);
}

// Throws ConnectionLoss.
async::Task<void> letGo(zk::Coordinator &zk, zk::Path queue, QByteArray name, qint32 version)
{
    const zk::Transaction unconditionally;
    const Answer<zk::Committed> committed = co_await sendLetGo(zk, queue, name, version, unconditionally);
    if (committed.is(Code::NoNode) && committed->failedAt() == 0)
        zk.discardOwned(takenOf(queue, name)); // the item itself was deleted
}

// The same for claims of which it is not known whether they were made. Their receipt says so: the version of an entry
// alone cannot tell ours from that of somebody who was faster.
async::Task<void> letAllGo(zk::Coordinator &zk, zk::Path queue, QueueProtocol::Abandoned claims)
{
    zk::Transaction made;
    made.check(claims.receipt.path, claims.receipt.version);
    std::vector<zk::Reply<zk::Committed>> replies;
    for (const Taker::Item &item : claims.items)
        replies.push_back(sendLetGo(zk, queue, item.entry.name, item.version + 1, made));
    for (std::size_t i = 0; i < replies.size(); ++i) {
        const Answer<zk::Committed> committed = co_await replies[i];
        if (committed.is(Code::NoNode) && committed->failedAt() == 1)
            zk.discardOwned(takenOf(queue, claims.items[i].entry.name));
    }
    zk.discard(claims.receipt.path);
}

std::optional<QueueEntry> parseByPriority(const QByteArray &name)
{
    const std::optional<EntryName> parts = EntryName::parse(name);
    bool isNumber = false;
    const int priority = parts ? parts->key.toInt(&isNumber) : 0;
    if (!isNumber)
        return std::nullopt;
    return QueueEntry{name, priority, parts->sequence, {}};
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
    protocol.undo = [queue](zk::Coordinator &zk, QueueProtocol::Abandoned claims) {
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

Claim::Claim(zk::Coordinator &zk, zk::Path queue, QueueProtocol::Item item, zk::Zxid czxid)
    : m_zk(&zk), m_queue(std::move(queue)),
      m_item(std::move(item)), m_fence{takenOf(m_queue, m_item.entry.name), czxid, zk.sessionId(),
                                       zk::Transaction::Check{entryOf(m_queue, m_item.entry.name), m_item.version}}
{
}

Claim::Claim(Claim &&other) noexcept
    : m_zk(std::exchange(other.m_zk, nullptr)), m_queue(std::move(other.m_queue)), m_item(std::move(other.m_item)),
      m_fence(std::move(other.m_fence))
{
}

Claim &Claim::operator=(Claim &&other) noexcept
{
    std::swap(m_zk, other.m_zk);
    std::swap(m_queue, other.m_queue);
    std::swap(m_item, other.m_item);
    std::swap(m_fence, other.m_fence);
    return *this;
}

Claim::~Claim()
{
    release();
}

void Claim::release()
{
    if (!m_zk)
        return;
    zk::Coordinator *zk = std::exchange(m_zk, nullptr);
    zk->oblige([zk, queue = m_queue, name = m_item.entry.name, version = m_item.version] {
        return letGo(*zk, queue, name, version);
    });
}

async::Task<bool> Claim::consume()
{
    zk::Transaction transaction;
    transaction.remove(entryOf(m_queue, m_item.entry.name), m_item.version).remove(m_fence.path);
    std::optional<zk::Reply<zk::Committed>> sent;
    if (m_zk)
        sent = m_zk->commit(transaction);
    return finishConsuming(std::move(*this), std::move(transaction), std::move(sent));
}

// `claim` is released when this is abandoned, or if the item was not deleted.
async::Task<bool> Claim::finishConsuming(Claim claim, zk::Transaction transaction,
                                         std::optional<zk::Reply<zk::Committed>> sent)
{
    bool lost = false;
    while (sent) {
        try {
            const Answer<zk::Committed> committed = co_await *sent;
            const bool before = lost && committed.is(Code::NoNode) && committed->failedAt() == 0;
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

async::Task<bool> Claim::holdsLock()
{
    if (!m_zk)
        co_return false;
    zk::Coordinator &zk = *m_zk;
    const auto look = [&] { return zk.exists(m_fence.path); };
    const Answer<zk::Stat> stat = co_await persistSynced(zk, m_fence.path, look);
    co_return stat.ok() && stat->czxid == m_fence.czxid;
}

// LockingQueue

LockingQueue::LockingQueue(zk::Coordinator &zk, zk::Path queue)
    : LockingQueue(zk, std::move(queue), EntryNames{parseByPriority, {}})
{
}

LockingQueue::LockingQueue(zk::Coordinator &zk, zk::Path queue, EntryNames names)
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

async::Task<Claim> LockingQueue::get()
{
    std::vector<Claim> claims = co_await getSome(1);
    co_return std::move(claims.front());
}

async::Task<std::optional<Claim>> LockingQueue::get(async::Duration limit)
{
    try {
        auto getting = async::orTimeout(m_zk.loop(), get(), limit);
        Claim claim = co_await getting;
        co_return std::optional<Claim>(std::move(claim));
    } catch (const async::Timeout &) {
    }
    co_return std::nullopt;
}

async::Task<std::vector<Claim>> LockingQueue::getSome(int atMost)
{
    Taker::Taken taken = co_await m_taker.take(atMost, Taker::Wait::Yes);
    const zk::Zxid zxid = taken.results.empty() ? 0 : taken.results.front().stat.mzxid; // one transaction, one zxid
    std::vector<Claim> claims;
    for (QueueProtocol::Item &item : taken.items) {
        ++item.version; // by our claim
        claims.push_back(Claim(m_zk, m_queue, std::move(item), zxid));
    }
    if (zxid == 0 && !claims.empty()) {
        const auto look = [&] { return m_zk.exists(claims.front().m_fence.path); };
        const Answer<zk::Stat> stat = co_await persist(m_zk, look);
        for (Claim &claim : claims)
            claim.m_fence.czxid = stat->czxid;
    }
    co_return claims;
}

async::Task<qsizetype> LockingQueue::size()
{
    const std::vector<QueueEntry> all = co_await entries();
    co_return static_cast<qsizetype>(all.size());
}

} // namespace drover::recipes
