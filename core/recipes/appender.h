#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "recipes/receipts.h"

#include <deque>

namespace drover::recipes {

// Appends items to the directory of a queue, each exactly once: sequential nodes made in transactions with Receipts.
// What is appended while a transaction is under way goes out together in the next one (group commit), so that any
// number of callers share round trips and the items keep the order of the calls.
//
//     <directory>/<prefix><sequence>            persistent, data = the item
//     <side>/_r_<uuid>                          see Receipts
//
// Belongs to one queue object, and outlives the tasks that it gave.
class Appender
{
public:
    // At most so much goes into one transaction, unless a single item is larger.
    static constexpr std::size_t MaxItems = 500;
    static constexpr qsizetype MaxBytes = 512 * 1024;

    Appender(zk::Coordinator &zk, zk::Path directory, zk::Path side);

    // Returns when all of `items` are durable; all of them are in one transaction, or none is there. Throws SessionLost
    // (they are there or not), NumbersUsedUp, RequestTooLarge. A task that is destroyed before its
    // items were sent withdraws them; after that they are there or not, each once.
    async::Task<void> append(QByteArray prefix, QByteArrayList items);

    // The same in as many transactions as it takes: after an exception the first of them may be there.
    async::Task<void> appendAll(QByteArray prefix, QByteArrayList items);

private:
    struct Unit {
        QByteArray prefix;
        QByteArrayList items;
        async::Promise<std::monostate> durable;
        bool withdrawn = false;
    };
    using Units = std::vector<std::shared_ptr<Unit>>;

    std::shared_ptr<Unit> add(QByteArray prefix, QByteArrayList items);
    async::Task<void> work();
    Units nextBatch();
    async::Task<void> write(Units batch);

    zk::Coordinator &m_zk;
    zk::Path m_directory;
    zk::Path m_side;
    Receipts m_receipts;
    std::deque<std::shared_ptr<Unit>> m_units;
    async::TaskGroup m_work;
};

} // namespace drover::recipes
