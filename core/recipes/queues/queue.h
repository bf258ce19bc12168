#pragma once

#include "recipes/blocks/node_kind.h"
#include "recipes/queues/appender.h"
#include "recipes/queues/taker.h"

namespace drover::recipes {

// The queue is empty.
class QueueEmpty : public std::runtime_error
{
public:
    explicit QueueEmpty(const zk::Path &directory);
};

// The session ended while the answer to a take was outstanding. Either these items are still in the queue, or they were
// taken and the caller that catches this has the only copy.
class TakenOrNot : public zk::SessionLost
{
public:
    explicit TakenOrNot(QByteArrayList items);
    const QByteArrayList &items() const { return m_items; }

private:
    QByteArrayList m_items;
};

// A first-in, first-out queue (ZooKeeper's DistributedQueue, Curator's SimpleDistributedQueue). Java programs may offer
// and take in its directory.
//
//     <directory>/qn-<sequence>                        persistent, data = the item
//     <directory>.drover/_r_<uuid>, <uuid>-taker       ephemeral: see Receipts and Taker
//
//     offer:  one transaction: create qn-, change a receipt                     -- one round trip
//     take:   list once; read ahead; one transaction: delete the items, change a receipt
//                                                                               -- one round trip for up to 500 items
//
// Guarantees. An item whose offer has returned is in the queue once. An item goes to one taker, at most once. It is
// taken when it is deleted, so it is lost if the taking process dies afterwards (LockingQueue keeps items until their
// work is done). While the session lives a lost reply neither loses nor duplicates an item.
//   lost reply     the receipt shows the outcome of the transaction
//   suspended      calls wait
//   expired        SessionLost: the item of a pending offer is in the queue once or not at all. TakenOrNot: an item of
//                  a pending take is still in the queue or was taken
//   cancelled      an item of a pending offer may be in the queue; items that a take had deleted already are put back
//                  under their old names (at the end, if the directory was created again meanwhile), unless the
//                  session ends first
//   deleted parent created again, empty. If a directory is replaced within a second while items are read ahead, old
//                  and new items may be confused: stop the takers first
//   numbers        end at 2^31 - 1 (NumbersUsedUp); the order holds up to there, and over the wrap of other servers
//   duplicate session (one id in two processes): the receipts have different names
//
// Order. One object's offers keep the order of the calls. A lone taker gets all items in sequence. Several takers
// divide a listing, and each gets its part in sequence. Items that a taker leaves for a second go to the others. Items
// larger than about 1 MB are refused (RequestTooLarge).
//
// One take at a time for each object (std::logic_error); any number of offers. It must outlive its tasks.
class Queue
{
public:
    Queue(zk::Client &zk, zk::Path directory);

    // take(), takeSome() and poll(limit) wait for an item. All throw SessionLost and the errors above.
    async::Task<void> offer(QByteArray item);
    // In order, in transactions of up to 500 items and 512 KiB, each all or nothing.
    async::Task<void> offerAll(QByteArrayList items);

    // Reads the first item. If the queue is empty, peek() returns nothing and element() throws QueueEmpty.
    async::Task<std::optional<QByteArray>> peek();
    async::Task<QByteArray> element();

    // Takes the first item. If the queue is empty, poll() returns nothing and remove() throws QueueEmpty.
    async::Task<std::optional<QByteArray>> poll();
    async::Task<QByteArray> remove();

    // Waits for an item; `limit` is measured by the loop's monotonic clock and includes all round trips.
    async::Task<QByteArray> take();
    async::Task<std::optional<QByteArray>> poll(async::Duration limit);

    // Takes the present items, up to `atMost` and 500. takeSome() waits for the first one. Use it for high rates.
    async::Task<QByteArrayList> takeSome(int atMost);
    async::Task<QByteArrayList> pollSome(int atMost);

    // The number of items.
    async::Task<qsizetype> size();

    // Whether a child may stand in a queue's directory: an item, or a node that no taker takes for an item.
    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::Queue, name); }

private:
    async::Task<QByteArrayList> collect(int atMost, Taker::Wait wait);

    zk::Client &m_zk;
    zk::Path m_directory;
    Appender m_appender;
    Taker m_taker;
};

} // namespace drover::recipes
