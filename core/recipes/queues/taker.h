#pragma once

#include "recipes/blocks/receipts.h"
#include "recipes/blocks/ticket.h"
#include "recipes/queues/work_division.h"

#include <QSet>

#include <deque>

namespace drover::recipes {

// An item of a queue, known by its node's name. Items are taken in the order of (order, sequence).
struct ListedItem {
    QByteArray name;
    qint64 order = 0; // a priority, a time
    qint32 sequence = 0;
    std::chrono::milliseconds notBefore{0}; // since the Unix epoch
};

// The differences between the queues.
struct QueueProtocol {
    zk::Path items; // the directory of the items
    // The directory of the takers' own nodes. It is separate, because other programs take every child for an item.
    zk::Path side;
    std::optional<zk::Path> taken{}; // a child with the item's name here: it is claimed
    std::function<std::optional<ListedItem>(const QByteArray &name)> parse; // nothing: not an item
    std::function<std::chrono::milliseconds()> now{}; // required if entries have a notBefore

    struct Item {
        ListedItem entry;
        QByteArray data;
        qint32 version = 0;
    };
    // Adds the operations that take the item; `operations` is their number. They fail if another taker has taken it.
    std::function<void(zk::Transaction &, const Item &)> take;
    std::size_t operations = 1;
    // A take whose task was destroyed before its outcome was known.
    struct InDoubt {
        std::vector<Item> items;
        Receipts::InDoubt receipt; // shows whether it was carried out
        zk::Zxid directory = 0; // czxid of the directory that was listed
    };
    // Undoes a take in doubt and deletes the receipt. It is repeated while it throws ConnectionLoss.
    std::function<async::Task<void>(zk::Client &, InDoubt)> undo;
};

// One taker of a queue's items. It finds them without a herd and takes several in one transaction.
//
//     <side>/<uuid>-taker                            ephemeral: one taker
//     <side>/_r_<uuid>                               ephemeral: its Receipts
//     <side>/_c_<uuid>-<taker>-idle-<sequence>       ephemeral: the line of the idle takers
//
//     take(n):
//       if no item is known: list the items and the takers                       -- a listing serves for a second
//         our share of them is by WorkDivision; a taker behind the first in line has no share
//         if our share is empty, and we are to wait: stand in the line of idle takers, unless alone
//         the first in line watches the queue, and takes items that the other takers leave; the next ones watch the
//         taker before them
//       read up to n items in order
//       one transaction takes them all; meanwhile read the next ones, MaxBytes of them at most
//       if one is gone: repeat with the items before it, or with half of the rest
//
// So a change of the queue wakes one idle taker (two while a second taker joins a lone one). Known items cost one round
// trip a transaction. An item that does not fit into a request (item_size.h) stays; the program that stored it must
// take it. Belongs to one queue object; must outlive its tasks.
class Taker
{
public:
    using Item = QueueProtocol::Item;

    static constexpr int MaxItems = 500; // in a transaction
    static constexpr qsizetype MaxBytes = 512 * 1024;
    static constexpr std::chrono::seconds MaxAge{1}; // how long a listing serves

    struct Taken {
        std::vector<Item> items; // empty: there were none
        std::vector<zk::OperationResult> results; // empty: the reply was lost
    };

    Taker(zk::Client &zk, QueueProtocol protocol);
    Taker(const Taker &) = delete;
    Taker &operator=(const Taker &) = delete;
    ~Taker();

    // Takes 1 to `atMost` items; with Wait::No perhaps none. One call at a time (std::logic_error). Throws SessionLost;
    // then the items of inDoubt() may have been taken. Destroying the task returns items that it may have taken.
    enum class Wait { No, Yes };
    async::Task<Taken> take(int atMost, Wait wait);

    const std::vector<Item> &inDoubt() const { return m_inDoubt; }

    // All items of all shares, in order. Includes all items that were acknowledged before the call.
    async::Task<std::vector<ListedItem>> entries();

private:
    struct Candidate {
        ListedItem entry;
        bool ours = true;
        std::optional<zk::Reply<zk::Node>> reading;
    };
    struct Watches;

    std::vector<ListedItem> sortedBySequence(const QByteArrayList &names) const;
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

    void giveBack(const std::vector<Item> &items, Receipts::InDoubt receipt);

    zk::Client &m_zk;
    QPointer<zk::Client> m_alive; // null when m_zk is no more
    QueueProtocol m_protocol;
    zk::Path m_self;
    Receipts m_receipts;
    bool m_joined = false; // the last listing showed our taker node
    bool m_mayHaveJoined = false;
    WorkDivision m_division;
    QSet<QByteArray> m_tooLarge; // among the listed items
    std::deque<Candidate> m_stock; // of the last listing, in the order of trying
    bool m_haveOwn = false; // m_stock has items of our share
    async::TimePoint m_listedAt{};
    async::Duration m_listingTook{0};
    zk::Zxid m_directory = 0; // czxid of the directory of items
    std::chrono::milliseconds m_nextDue{0}; // the earliest later due time; 0: none
    qsizetype m_companions = 0; // number of other takers
    qsizetype m_usualSize = MaxBytes / 100; // of an item, in bytes: a moving average
    std::optional<Ticket> m_place;
    std::vector<Item> m_inDoubt;
    bool m_taking = false;
};

} // namespace drover::recipes
