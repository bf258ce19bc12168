#pragma once

#include "recipes/locking_queue.h"

namespace drover::recipes {

// A queue whose items carry an id by which they can be found and removed (what Curator's DistributedIdQueue does, on
// LockingQueue's claims; the names are our own). Ids need not be unique.
//
//     <queue>/entries/entry-<id, percent-encoded>-<sequence>              and the rest as LockingQueue
//
//     remove(id): list; for each item of that id one transaction: create and delete taken/<entry>, delete the entry;
//                 an item that is claimed is in the way of that, and stays
//
// Failures as LockingQueue. A remove() whose reply was lost counts an item that is gone afterwards as removed by it.
class IdQueue : private LockingQueue
{
public:
    IdQueue(zk::Coordinator &zk, zk::Path queue);

    // Throw std::invalid_argument for an empty id, SessionLost, RequestTooLarge.
    async::Task<void> put(QByteArray id, QByteArray item);
    async::Task<void> putAll(QByteArray id, QByteArrayList items); // all or none

    // The items of this id, in order, claimed or not. Throws SessionLost.
    async::Task<QByteArrayList> find(QByteArray id);

    // Deletes those that nobody has claimed; how many that were. Throws SessionLost.
    async::Task<int> remove(QByteArray id);

    static QByteArray idOf(const Claim &claim);

    using LockingQueue::get;
    using LockingQueue::getSome;
    using LockingQueue::size;

private:
    async::Task<std::vector<QueueEntry>> entriesOf(QByteArray id);
    async::Task<bool> removeEntry(QByteArray name);
};

} // namespace drover::recipes
