#pragma once

#include "recipes/locking_queue.h"

namespace drover::recipes {

// A queue whose items may not be had before their time (what Curator's DistributedDelayQueue does, on LockingQueue's
// claims; the names are our own).
//
//     <queue>/entries/entry-<ms of the epoch, 13 digits>-<sequence>       and the rest as LockingQueue
//
// Items are due by the time of day of the taker's loop, and those that are due are taken in the order of their times,
// then of their numbers. Clocks that differ make items come early or late by that difference. Whoever is first in the
// line of idle takers sleeps until the earliest item is due, and looks at the clock every ten seconds, should it be
// set.
//
// Failures as LockingQueue. Without a connection nothing becomes due: calls wait.
class DelayQueue : private LockingQueue
{
public:
    DelayQueue(zk::Coordinator &zk, zk::Path queue);

    // Throw std::invalid_argument for a time before 1970 or after the year 2286, SessionLost, RequestTooLarge.
    async::Task<void> put(QByteArray item, std::chrono::milliseconds notBefore); // of the epoch
    async::Task<void> putAll(QByteArrayList items, std::chrono::milliseconds notBefore); // all or none
    async::Task<void> putIn(QByteArray item, std::chrono::milliseconds delay) // by our own clock
    {
        return put(std::move(item), m_loop.wallClock() + delay);
    }

    using LockingQueue::get;
    using LockingQueue::getSome;
    using LockingQueue::size;

private:
    async::Loop &m_loop;
};

} // namespace drover::recipes
