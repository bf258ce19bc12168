#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "recipes/blocks/receipts.h"

#include <deque>

namespace drover::recipes {

// Appends items to the directory of a queue, each exactly once, as sequential nodes in transactions with Receipts.
// Items that are appended during a transaction are sent together in the next one (group commit). So all callers share
// round trips, and the items keep the order of the calls.
//
//     <directory>/<prefix><sequence>            persistent, data = the item
//     <side>/_r_<uuid>                          see Receipts
//
// Belongs to one queue object, and must outlive its tasks.
class Appender
{
public:
    // The limits of one transaction, unless a single item is larger.
    static constexpr std::size_t MaxItems = 500;
    static constexpr qsizetype MaxBytes = 512 * 1024;

    Appender(zk::Client &zk, zk::Path directory, zk::Path side);

    // Returns when all of `items` are durable. They are appended in one transaction: all or none. Throws NumbersUsedUp
    // and RequestTooLarge; SessionLost, after which the outcome is unknown. Destroying the task withdraws items that
    // were not sent yet; sent items may be in the queue, each once.
    async::Task<void> append(QByteArray prefix, QByteArrayList items);

    // Like append(), but in as many transactions as necessary: after an exception some first items may be in the queue.
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

    zk::Client &m_zk;
    zk::Path m_directory;
    zk::Path m_side;
    Receipts m_receipts;
    std::deque<std::shared_ptr<Unit>> m_units;
    async::TaskGroup m_work;
};

} // namespace drover::recipes
