#pragma once

#include "recipes/lock.h"
#include "recipes/node_kind.h"
#include "recipes/participants.h"

#include <variant>

namespace drover::recipes {

// One of a semaphore's permits; what is said of a Lock holds for it.
using Lease = Lock;

// A counted lock: at most so many leases at a time, given out in order (Curator's InterProcessSemaphoreV2).
//
//     <path>
//         locks
//             _c_<uuid>-lock-0000000011      is being admitted; the others wait in line behind it
//             _c_<uuid>-lock-0000000012
//         leases
//             _c_<uuid>-lease-0000000007     held, or waiting for room: as many of these as there are permits are held
//             _c_<uuid>-lease-0000000008
//
//     acquire n: take a ticket in locks; await its turn
//                create n leases
//                while there are more leases than permits: watch leases (and the number of permits, if it is shared),
//                    and the ticket
//                delete the ticket
//     try n:     take a ticket in locks
//                until it is its turn, and once more then: if there is no room for n beside the leases: none
//                create n leases
//                delete the ticket
//     release:   delete the lease
//
// A try looks before it creates, so that a lease in the list is one that is held or that somebody waits with: nobody is
// refused because of another's try.
//
// Not more are admitted than there are permits, even if the ticket is lost on the way: whoever looks has made its
// leases before it counts, so the last of several to be made has counted all of them. All n are waited for under one
// ticket, so that two who want several never hold a part each (Curator's, which waits for each by itself, may). Whose
// ticket is deleted by another hand while it waits for room gets TicketRevoked and gives its part back, for the next in
// line is admitted beside it, and the two would wait for each other.
//
// Fixed permits are a number that all users agree on. Shared permits are in a znode of Curator's SharedCount: four
// bytes, the most significant first. When it is lowered, leases that are held stay; nobody is admitted until enough
// have gone. Lost reply, suspended, expired, deleted directories, numbers used up: as in Mutex, for the ticket and for
// each lease. A lease deleted by another hand frees a permit that its holder believes to have: only the fence tells.
class Semaphore
{
public:
    using Permits = std::variant<int, zk::Path>; // fixed, or where the shared number is

    Semaphore(zk::Coordinator &zk, zk::Path path, Permits permits);

    // Waits until n are free. `about` is stored in the leases. Throws SessionLost, TicketRevoked, NumbersUsedUp;
    // std::invalid_argument if n is less than 1 or can never be had; zk::Error if there is no shared number.
    async::Task<std::vector<Lease>> acquire(int n = 1, QByteArray about = {});

    // Nothing if n are not free: the others are held, or asked for by those who came before and wait for room. Those
    // who are being admitted while there is room for us as well are waited for, a few round trips each, or until its
    // session ends if one of them stands still; who has a lease never is. Three round trips if nobody else comes.
    // (Curator's, with a time-out of zero, gives up when it meets anybody.) Throws the same.
    async::Task<std::optional<std::vector<Lease>>> tryAcquire(int n = 1, QByteArray about = {});

    // The children of a semaphore's path.
    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::Semaphore, name); }

    // The leases in their order, held or waiting for room; not those who stand in line for admission.
    async::Task<std::vector<Participant>> participants() { return recipes::participants(m_zk, m_leases); }

private:
    // Leases that were created and are not admitted yet.
    struct Asked {
        std::vector<Ticket> tickets;
        std::optional<QByteArrayList> seen; // the leases as listed with the creation of the last

        bool allIn(const QByteArrayList &names) const;
    };
    struct Watches {
        zk::Watch leases;
        zk::Watch permits;
        zk::Watch ticket; // of an acquire its own, of a try that of who is to be admitted before it
    };
    struct Room {
        QByteArrayList leases;
        int permits = 0;
    };

    void requirePossible(int n) const;
    async::Task<bool> admittedIfRoom(const Ticket &ticket, std::optional<QByteArrayList> line, int n);
    async::Task<void> createOne(QByteArray about, Asked &asked);
    async::Task<void> create(int n, QByteArray about, Asked &asked);
    async::Task<bool> fit(Asked &asked, Watches &watches);
    async::Task<Room> look(Watches &watches);
    async::Task<void> change(const Watches &watches);

    zk::Coordinator &m_zk;
    zk::Path m_locks;
    zk::Path m_leases;
    Permits m_permits;
};

} // namespace drover::recipes
