#pragma once

#include "recipes/blocks/fence.h"
#include "recipes/queues/appender.h"
#include "recipes/queues/taker.h"

namespace drover::recipes {

// An item that this session has claimed: until it is consumed or released, or the session ends. Movable; its destructor
// releases it.
//
//     <queue>/entries/<name>      persistent: the item. Its version counts the claims, and fences late ones
//     <queue>/taken/<name>        ephemeral, data = the taker's id (as in kazoo): claimed
//
//     claim:    one transaction: set entries/<name> to its present data, at the version read ; create taken/<name>
//     consume:  one transaction: delete entries/<name> at the version of our claim ; delete taken/<name>
//     release:  one transaction: check that version ; delete taken/<name>
//
// So a holder that lost its claim without noticing cannot consume or release another's. Lost reply: the transaction is
// repeated. If the item is gone then, the first one consumed it, because no other client could.
class ClaimedItem
{
public:
    ClaimedItem(zk::Client &zk, zk::Path queue, QueueProtocol::Item item, zk::Zxid czxid);
    ClaimedItem(ClaimedItem &&other) noexcept;
    ClaimedItem &operator=(ClaimedItem &&other) noexcept;
    ~ClaimedItem();

    const QByteArray &data() const { return m_item.data; }
    const QByteArray &name() const { return m_item.entry.name; }
    // The number of claims of this item by Drover's clients, this one included. After the first claim, earlier holders
    // did not finish.
    qint32 attempt() const { return m_item.version; }

    // Fences the `taken` node. Check it in every write that belongs to the work on the item.
    const Fence &fence() const { return m_fence; }

    // Asks the server whether the claim still holds. False after release(). Throws SessionLost.
    async::Task<bool> holdsLock();

    // Deletes the item, because the work is done. Returns false if the claim was lost. The transaction is sent before
    // the call returns, so several may be in progress at once. This object is empty afterwards. Throws SessionLost,
    // after which the item may have been consumed. Destroying the task releases the item if it was not consumed.
    async::Task<bool> consume();

    // Returns the item to the queue. Does not wait for the server.
    void release();

private:
    friend class LockingQueue;

    static async::Task<bool> finishConsuming(ClaimedItem claim, zk::Transaction transaction,
                                             std::optional<zk::Reply<zk::Committed>> sent);

    QPointer<zk::Client> m_zk; // null: consumed, released or moved from
    zk::Path m_queue;
    QueueProtocol::Item m_item;
    Fence m_fence;
};

// The names of entries, in which the queues that are built on LockingQueue differ.
struct EntryNames {
    std::function<std::optional<ListedItem>(const QByteArray &name)> parse;
    std::function<std::chrono::milliseconds()> now{}; // since the Unix epoch
};

// The parts of a name "entry-<key>-<sequence>".
struct EntryName {
    QByteArray key;
    qint32 sequence = 0;

    static std::optional<EntryName> parse(const QByteArray &name);
    static QByteArray prefix(const QByteArray &key) { return "entry-" + key + '-'; }
};

// A queue by priority whose items stay in it until their work is done (kazoo's LockingQueue). Python programs may put
// and get in its directory.
//
//     <queue>/entries/entry-<priority>-<sequence>      persistent, data = the item; priority 000 (first) to 999
//     <queue>/taken/entry-<priority>-<sequence>        ephemeral: a taker works on it
//     <queue>/drover/_r_<uuid>, <uuid>-taker           ephemeral: see Receipts and Taker
//
//     put:  one transaction: create the entry, change a receipt                           -- one round trip
//     get:  list entries and taken once; read ahead; one transaction claims several       -- one round trip a claim
//
// An acknowledged item is delivered until a holder consumes it: at least once, and to one holder at a time while the
// holder's session lives. Once a holder has lost the item, the server refuses each write that carries its Fence.
//   lost reply     the receipt and the version of the entry show the outcome
//   suspended      calls wait; a claim is ours as long as the session lives
//   expired        SessionLost; the server deletes `taken`, and the next in line claims the item at once
//   cancelled      items that a get may have claimed are released
//   deleted parent created again, empty
//   numbers        as in Queue; the order is by priority, then by number across a wrap
//   duplicate session (one id in two processes): versions and uuids distinguish the claims
//
// No herd: a taker that finds no item stands in line, and only the first in line watches (Taker). kazoo's own checks
// are outside its transactions. So a kazoo client that lost its session may still consume an item that we hold; our
// consume() then returns false.
//
// One get at a time for each object (std::logic_error); any number of puts. It must outlive its tasks, but not its
// claims.
class LockingQueue
{
public:
    static constexpr int DefaultPriority = 100;

    LockingQueue(zk::Client &zk, zk::Path queue);
    LockingQueue(zk::Client &zk, zk::Path queue, EntryNames names);

    // These throw std::invalid_argument for a priority outside 0 to 999, SessionLost and RequestTooLarge. putAll()
    // stores all items or none.
    async::Task<void> put(QByteArray item, int priority = DefaultPriority);
    async::Task<void> putAll(QByteArrayList items, int priority = DefaultPriority);

    // Wait for an item. With `limit` (monotonic time, round trips included) they return nothing when it has passed.
    // They throw SessionLost.
    async::Task<ClaimedItem> get();
    async::Task<std::optional<ClaimedItem>> get(async::Duration limit);

    // Waits for an item, then claims up to `atMost` items of one priority in one transaction.
    async::Task<std::vector<ClaimedItem>> getSome(int atMost);

    // The number of items, claimed or not.
    async::Task<qsizetype> size();

protected:
    async::Task<void> putUnder(QByteArray key, QByteArrayList items);
    async::Task<std::vector<ListedItem>> entries() { return m_taker.entries(); }
    zk::Client &client() const { return m_zk; }
    const zk::Path &path() const { return m_queue; }

private:
    zk::Client &m_zk;
    zk::Path m_queue;
    Appender m_appender;
    Taker m_taker;
};

} // namespace drover::recipes
