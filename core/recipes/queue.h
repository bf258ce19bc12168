#pragma once

#include "recipes/appender.h"
#include "recipes/node_kind.h"
#include "recipes/taker.h"

namespace drover::recipes {

// There is nothing in the queue.
class QueueEmpty : public std::runtime_error
{
public:
    explicit QueueEmpty(const zk::Path &directory);
};

// The session ended while the answer to a take was outstanding. These items are still in the queue, or they were
// taken and nobody else will get them: whoever caught this has the only copy then.
class TakenOrNot : public zk::SessionLost
{
public:
    explicit TakenOrNot(QByteArrayList items);
    const QByteArrayList &items() const { return m_items; }

private:
    QByteArrayList m_items;
};

// A first-in, first-out queue (ZooKeeper's DistributedQueue, Curator's SimpleDistributedQueue): Java programs may offer
// and take in the same directory.
//
//     <directory>/qn-<sequence>                        persistent, data = the item
//     <directory>.drover/_r_<uuid>, <uuid>-taker       ephemeral: what Receipts and Taker need
//
//     offer:  one transaction: create qn-, change a receipt                     -- one round trip
//     take:   list once; read ahead; one transaction: delete the items, change a receipt
//                                                                               -- one round trip for up to 500 items
//
// What is promised. An offer that has returned is in the queue, once. An item goes to one taker, at most once: it is
// taken when it is deleted, so a process that dies afterwards takes it along (LockingQueue keeps items until their work
// is done). While the session lives a lost reply neither loses nor doubles anything.
//   lost reply     the receipt says what became of the transaction
//   suspended      calls wait
//   expired        SessionLost: an offer under way is in the queue once or not at all. TakenOrNot: so are its items
//   cancelled      an offer under way is in the queue or not; items that a take had deleted already are put back under
//                  their old names (at the end, if the directory was made anew meanwhile), unless the session ends
//                  first
//   deleted parent made again; what was in it is gone. A directory that is replaced within a second while items are
//                  read ahead may confuse old items and new ones: stop the takers first
//   numbers        end at 2^31 - 1 (NumbersUsedUp); the order holds up to there, and over the wrap of other servers
//   duplicate session (the same id taken over by another process): the receipts are told apart by their names
//
// Order. One object's offers keep the order of the calls. A lone taker gets everything in sequence. Several takers
// divide a listing among them, and each gets its part in sequence; what one of them leaves lying for a second goes to
// the others. Items larger than about 1 MB are refused (RequestTooLarge).
//
// One object takes for one caller at a time (std::logic_error); offers may be any number. Outlives its tasks.
class Queue
{
public:
    Queue(zk::Coordinator &zk, zk::Path directory);

    // All but poll() and take() answer at once; they throw SessionLost and what is said above.
    async::Task<void> offer(QByteArray item);
    // In order, in transactions of up to 500 items and 512 KiB, each all or nothing.
    async::Task<void> offerAll(QByteArrayList items);

    // The head: nothing or QueueEmpty if there is none.
    async::Task<std::optional<QByteArray>> peek();
    async::Task<QByteArray> element();

    // The same, taken.
    async::Task<std::optional<QByteArray>> poll();
    async::Task<QByteArray> remove();

    // Waits for an item; `limit` is measured by the loop's monotonic clock and includes all round trips.
    async::Task<QByteArray> take();
    async::Task<std::optional<QByteArray>> poll(async::Duration limit);

    // As many as there are, up to `atMost` and 500; takeSome() waits for the first. The way to a high rate.
    async::Task<QByteArrayList> takeSome(int atMost);
    async::Task<QByteArrayList> pollSome(int atMost);

    // Items in it.
    async::Task<qsizetype> size();

    // The children of a queue: its items, and what nobody takes for one.
    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::Queue, name); }

private:
    async::Task<QByteArrayList> collect(int atMost, Taker::Wait wait);

    zk::Coordinator &m_zk;
    zk::Path m_directory;
    Appender m_appender;
    Taker m_taker;
};

} // namespace drover::recipes
