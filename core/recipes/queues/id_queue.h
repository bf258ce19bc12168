#pragma once

#include "recipes/queues/locking_queue.h"

namespace drover::recipes {

// A queue whose items can be found and removed by an id (like Curator's DistributedIdQueue, but with LockingQueue's
// claims and with names of Drover's own). Ids need not be unique.
//
//     <queue>/entries/entry-<id, percent-encoded>-<sequence>              and the rest as in LockingQueue
//
//     remove(id): list; for each item of that id one transaction: create and delete taken/<entry>, delete the entry;
//                 the transaction fails for a claimed item, which stays
//
// Failures as in LockingQueue. After a lost reply remove() counts an item that is gone as removed by itself.
class IdQueue : private LockingQueue
{
public:
    IdQueue(zk::Client &zk, zk::Path queue);

    // These throw std::invalid_argument for an empty id, SessionLost and RequestTooLarge.
    async::Task<void> put(QByteArray id, QByteArray item);
    async::Task<void> putAll(QByteArray id, QByteArrayList items); // all or none

    // The items of this id, in order, claimed or not. Throws SessionLost.
    async::Task<QByteArrayList> find(QByteArray id);

    // Deletes the items of this id that are not claimed, and returns how many it deleted. Throws SessionLost.
    async::Task<int> remove(QByteArray id);

    static QByteArray idOf(const ClaimedItem &claim);

    using LockingQueue::get;
    using LockingQueue::getSome;
    using LockingQueue::size;

private:
    async::Task<std::vector<ListedItem>> entriesOf(QByteArray id);
    async::Task<bool> removeEntry(QByteArray name);
};

} // namespace drover::recipes
