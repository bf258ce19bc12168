#pragma once

#include "recipes/appender.h"
#include "recipes/fence.h"
#include "recipes/taker.h"

namespace drover::recipes {

// An item that is ours to work on: until it is consumed or released, or the session ends. Movable; its destruction
// releases it.
//
//     <queue>/entries/<name>      persistent: the item. Its version counts the claims, and fences late ones
//     <queue>/taken/<name>        ephemeral, data = the taker's id (kazoo's): claimed
//
//     claim:    one transaction: set entries/<name> to what it is, at the version read ; create taken/<name>
//     consume:  one transaction: delete entries/<name> at the version of our claim ; delete taken/<name>
//     release:  one transaction: check that version ; delete taken/<name>
//
// So whoever lost a claim without noticing neither consumes nor releases that of another. A lost reply: the same again;
// an item that is gone then was consumed by the first one, for nobody else could.
class Claim
{
public:
    Claim(zk::Coordinator &zk, zk::Path queue, QueueProtocol::Item item, zk::Zxid czxid);
    Claim(Claim &&other) noexcept;
    Claim &operator=(Claim &&other) noexcept;
    ~Claim();

    const QByteArray &data() const { return m_item.data; }
    const QByteArray &name() const { return m_item.entry.name; }
    // Drover's claims of this item so far, this one included: more than one means that another did not finish.
    qint32 attempt() const { return m_item.version; }

    // The `taken` node, to be checked in every write that belongs to the work on the item.
    const Fence &fence() const { return m_fence; }

    // Asks the server. False after release(). Throws SessionLost.
    async::Task<bool> holdsLock();

    // The work is done: deletes the item; false if it was not ours any more. Sent before this returns, so several may
    // be under way at once. This object is empty afterwards. Throws SessionLost: consumed or not. Destroying the task
    // releases what was not consumed.
    async::Task<bool> consume();

    // Somebody else may have it. Does not wait for the server.
    void release();

private:
    friend class LockingQueue;

    static async::Task<bool> finishConsuming(Claim claim, zk::Transaction transaction,
                                             std::optional<zk::Reply<zk::Committed>> sent);

    QPointer<zk::Coordinator> m_zk; // null: consumed, released or moved from
    zk::Path m_queue;
    QueueProtocol::Item m_item;
    Fence m_fence;
};

// How LockingQueue's relatives differ from it, in the names of their entries.
struct EntryNames {
    std::function<std::optional<QueueEntry>(const QByteArray &name)> parse;
    std::function<std::chrono::milliseconds()> now{}; // of the Unix epoch
};

// "entry-<key>-<sequence>" in its parts; nothing if the name is of another kind.
struct EntryName {
    QByteArray key;
    qint32 sequence = 0;

    static std::optional<EntryName> parse(const QByteArray &name);
    static QByteArray prefix(const QByteArray &key) { return "entry-" + key + '-'; }
};

// A queue whose items stay in it until their work is done, by priority (kazoo's LockingQueue): Python programs may put
// and get in the same directory.
//
//     <queue>/entries/entry-<priority>-<sequence>      persistent, data = the item; priority 000 (first) to 999
//     <queue>/taken/entry-<priority>-<sequence>        ephemeral: somebody works on it
//     <queue>/drover/_r_<uuid>, <uuid>-taker           ephemeral: what Receipts and Taker need
//
//     put:  one transaction: create the entry, change a receipt                           -- one round trip
//     get:  list entries and taken once; read ahead; one transaction claims several       -- one round trip a claim
//
// An acknowledged item is worked on until somebody consumes it: at least once, and by one at a time while its holder's
// session lives. Each write of a holder that carries its Fence is refused once it has lost the item.
//   lost reply     the receipt, and the version of the entry, say what became of it
//   suspended      calls wait; a claim is ours as long as the session lives
//   expired        SessionLost; the server deletes `taken`, and the next in line claims the item at once
//   cancelled      what a get may have claimed is released
//   deleted parent made again, empty
//   numbers        as in Queue; the order is by priority, then by number across a wrap
//   duplicate session: its claims are one owner's; only versions and ids tell them apart, and do
//
// No herd: whoever finds nothing stands in line, and only the first watches (Taker). kazoo's own checks are outside its
// transactions, so a kazoo client that lost its session may still consume what we hold: our consume() then says false.
//
// One object gets for one caller at a time (std::logic_error); puts may be any number. Outlives its tasks, not its
// claims.
class LockingQueue
{
public:
    static constexpr int DefaultPriority = 100;

    LockingQueue(zk::Coordinator &zk, zk::Path queue);
    LockingQueue(zk::Coordinator &zk, zk::Path queue, EntryNames names);

    // Throw std::invalid_argument for a priority outside 0 to 999, SessionLost, RequestTooLarge. putAll: all or none.
    async::Task<void> put(QByteArray item, int priority = DefaultPriority);
    async::Task<void> putAll(QByteArrayList items, int priority = DefaultPriority);

    // Waits for an item. With a limit (monotonic, all included): nothing when it has passed. Throw SessionLost.
    async::Task<Claim> get();
    async::Task<std::optional<Claim>> get(async::Duration limit);

    // Up to `atMost` of one priority in one transaction, once there is one.
    async::Task<std::vector<Claim>> getSome(int atMost);

    // Items in it, claimed or not.
    async::Task<qsizetype> size();

protected:
    async::Task<void> putUnder(QByteArray key, QByteArrayList items);
    async::Task<std::vector<QueueEntry>> entries() { return m_taker.entries(); }
    zk::Coordinator &coordinator() const { return m_zk; }
    const zk::Path &path() const { return m_queue; }

private:
    zk::Coordinator &m_zk;
    zk::Path m_queue;
    Appender m_appender;
    Taker m_taker;
};

} // namespace drover::recipes
