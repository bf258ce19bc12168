#pragma once

#include "recipes/ticket.h"

namespace drover::recipes {

// What acquire() gives: held until it is destroyed or released, or until the session ends. Movable.
class Lock
{
public:
    explicit Lock(Ticket ticket) : m_ticket(std::move(ticket)) { }

    // To be checked in every write that the lock protects; see Fence.
    const Fence &fence() const { return m_ticket.fence(); }
    zk::Coordinator &coordinator() const { return m_ticket.coordinator(); }

    // Released without waiting for the server: the delete is sent at once, before anything that is sent later.
    void release() { m_ticket.giveUp(); }

private:
    Ticket m_ticket;
};

// A fair lock of a cluster (Curator's InterProcessMutex; not re-entrant: every acquire() is a contender of its own).
//
//     <directory>                                   persistent
//         _c_<uuid>-lock-0000000007                 ephemeral: the lowest number holds the lock
//         _c_<uuid>-lock-0000000008                 waits, watching 7
//         _c_<uuid>-lock-0000000009                 waits, watching 8 and 7
//
//     acquire: take a ticket; await its turn           -- uncontended: one round trip
//     release: delete the ticket                       -- none: nobody waits for the reply
//
// Suspended: the lock is still ours as long as the session lives (Coordinator::aliveUntil), but no write gets through.
// Expired: the server deletes the node and the next in line holds the lock, whether this process has noticed or not;
// only the fence protects against what it may still do. Cancelled (the task destroyed, orTimeout): the node is deleted.
class Mutex
{
public:
    Mutex(zk::Coordinator &zk, zk::Path directory) : m_zk(zk), m_directory(std::move(directory)) { }

    // `about` is stored in the node for people to read: who holds or waits. Throws SessionLost, TicketRevoked.
    async::Task<Lock> acquire(QByteArray about = {});

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
};

} // namespace drover::recipes
