#pragma once

#include "recipes/receipts.h"
#include "recipes/shares.h"
#include "recipes/ticket.h"

#include <QSet>

#include <deque>

namespace drover::recipes {

// An item of a queue by its node's name. Items are taken in the order of (rank, sequence).
struct QueueEntry {
    QByteArray name;
    qint64 rank = 0; // a priority, a time
    qint32 sequence = 0;
    std::chrono::milliseconds notBefore{0}; // of the Unix epoch
};

// What distinguishes the queues.
struct QueueProtocol {
    zk::Path items; // the directory
    zk::Path side; // of the takers' own nodes, beside the items: foreign programs take every child for an item
    std::optional<zk::Path> taken{}; // a child of the same name here: the item is not to be had
    std::function<std::optional<QueueEntry>(const QByteArray &name)> parse; // nothing: not an item
    std::function<std::chrono::milliseconds()> now{}; // of the Unix epoch; needed if entries have a notBefore

    struct Item {
        QueueEntry entry;
        QByteArray data;
        qint32 version = 0;
    };
    // Adds what takes the item, `operations` of them. They fail if another has taken it.
    std::function<void(zk::Transaction &, const Item &)> take;
    int operations = 1;
    // A take whose task was destroyed before it knew the outcome.
    struct Abandoned {
        std::vector<Item> items;
        Receipts::Abandoned receipt; // tells whether it was carried out
        zk::Zxid directory = 0; // czxid of the directory that was listed
    };
    // An obligation: undoes it, and deletes the receipt. Repeated while it throws ConnectionLoss.
    std::function<async::Task<void>(zk::Coordinator &, Abandoned)> undo;
};

// One taker of a queue's items: finds them without a herd and takes several in one transaction.
//
//     <side>/<uuid>-taker                            ephemeral: one taker
//     <side>/_r_<uuid>                               ephemeral: its Receipts
//     <side>/_c_<uuid>-<taker>-idle-<sequence>       ephemeral: the line of those who found nothing
//
//     take(n):
//       if nothing is known: list the items and the takers                       -- a listing serves for a second
//         ours is our share of it (Shares); whoever stands in line behind the first has none
//         if nothing is ours, and we are to wait: stand in the line of idle takers, unless alone
//         the first in line watches the queue, and takes what the others have left lying; they watch who is before them
//       read up to n items in order
//       one transaction takes them all; meanwhile read the next n
//       if one is gone: the same with those before it, or with half of the rest
//
// So a change of the queue wakes one idle taker (two while a lone one is joined), and items that are known cost one
// round trip a transaction. Belongs to one queue object; outlives its tasks.
class Taker
{
public:
    using Item = QueueProtocol::Item;

    static constexpr int MaxItems = 500; // a transaction
    static constexpr qsizetype MaxBytes = 512 * 1024;
    static constexpr std::chrono::seconds MaxAge{1}; // of a listing that is worked through

    struct Taken {
        std::vector<Item> items; // empty: there were none
        std::vector<zk::OperationResult> results; // empty: the reply was lost
    };

    Taker(zk::Coordinator &zk, QueueProtocol protocol);
    Taker(const Taker &) = delete;
    Taker &operator=(const Taker &) = delete;
    ~Taker();

    // Takes up to `atMost`, at least one; with Wait::No perhaps none. One call at a time (std::logic_error). Throws
    // SessionLost: then inDoubt() was taken or not. Destroying the task undoes what it may have taken.
    enum class Wait { No, Yes };
    async::Task<Taken> take(int atMost, Wait wait);

    const std::vector<Item> &inDoubt() const { return m_inDoubt; }

    // The items in order, whoever is to have them. Up to date with all that was acknowledged before the call.
    async::Task<std::vector<QueueEntry>> entries();

private:
    struct Candidate {
        QueueEntry entry;
        bool ours = true;
        std::optional<zk::Reply<zk::Node>> reading;
    };
    struct Watches;

    std::vector<QueueEntry> inOrder(const QByteArrayList &names) const;
    async::Task<void> list(Watches *watches);
    void fill(const zk::Children &items, const QByteArrayList &taken, const QByteArrayList &side);
    QByteArrayList sharers(const QByteArrayList &side);
    async::Task<void> search();
    async::Task<void> leaveToOwners();
    async::Task<void> standInLine();
    async::Task<void> awaitChange(Watches &watches);
    bool stale() const { return m_stock.empty() || m_zk.loop().now() - m_listedAt > MaxAge; }

    std::size_t nextBatch(int atMost);
    void readAhead(std::size_t count);
    async::Task<std::vector<Item>> read(int atMost);
    async::Task<Taken> commit(std::vector<Item> items, int atMost);
    void withdraw(std::vector<Item> &items, std::size_t gone);

    void giveBack(const std::vector<Item> &items, Receipts::Abandoned receipt);

    zk::Coordinator &m_zk;
    QPointer<zk::Coordinator> m_alive; // null when m_zk is no more
    QueueProtocol m_protocol;
    zk::Path m_self;
    Receipts m_receipts;
    bool m_joined = false; // as the last listing showed
    bool m_mayHaveJoined = false;
    Shares m_shares;
    std::deque<Candidate> m_stock; // of the last listing, in the order in which to try them
    bool m_haveOwn = false; // some of them are our own share
    async::TimePoint m_listedAt{};
    async::Duration m_listingTook{0};
    zk::Zxid m_directory = 0; // czxid
    std::chrono::milliseconds m_nextDue{0}; // of the items that are not due yet; 0: there are none
    qsizetype m_companions = 0; // takers beside us
    std::optional<Ticket> m_place;
    std::vector<Item> m_inDoubt;
    bool m_taking = false;
};

} // namespace drover::recipes
