#pragma once

#include "recipes/queues/locking_queue.h"

namespace drover::recipes {

// A queue whose items cannot be taken before their due times (like Curator's DistributedDelayQueue, but with
// LockingQueue's claims and with names of Drover's own).
//
//     <queue>/entries/entry-<ms since the epoch, 13 digits>-<sequence>       and the rest as in LockingQueue
//
// Items become due by the time of day of the taker's loop. They are taken in the order of their due times, then of
// their numbers. Clocks that differ make items come early or late by the difference. The first in the line of idle
// takers sleeps until the earliest item is due. It also looks at the clock every ten seconds, in case the clock was
// set.
//
// Failures as in LockingQueue. Calls wait while there is no connection.
class DelayQueue : private LockingQueue
{
public:
    DelayQueue(zk::Client &zk, zk::Path queue);

    // These throw std::invalid_argument for a time before 1970 or after the year 2286, SessionLost and RequestTooLarge.
    async::Task<void> put(QByteArray item, std::chrono::milliseconds notBefore); // since the Unix epoch
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
