#pragma once

#include "recipes/blocks/node_kind.h"
#include "recipes/blocks/participants.h"
#include "recipes/blocks/ticket.h"
#include "recipes/locks/lock.h"

#include <variant>

namespace drover::recipes {

// One of a semaphore's permits. The contract of Lock applies.
using Lease = Lock;

// A counted lock: a limited number of leases at a time, granted in order (Curator's InterProcessSemaphoreV2).
//
//     <path>
//         locks
//             _c_<uuid>-lock-0000000011      is being admitted; the next ones wait in line behind it
//             _c_<uuid>-lock-0000000012
//         leases
//             _c_<uuid>-lease-0000000007     held, or waiting for a free permit
//             _c_<uuid>-lease-0000000008
//
//     acquire n: take a ticket in locks; await its turn
//                create n leases
//                while there are more leases than permits: watch leases (and the number of permits, if it is shared),
//                    and the ticket
//                delete the ticket
//     try n:     take a ticket in locks
//                until it is its turn, and once more then: if n permits are not free: delete the ticket, no lease
//                create n leases
//                delete the ticket
//     release:   delete the lease
//
// A try counts before it creates leases. So every listed lease is held or belongs to an acquire, and no try is refused
// because of another try.
//
// The leases that are granted never exceed the permits, even if a ticket is lost on the way. Each contender creates its
// leases before it counts, so the one that creates last counts all of them. A contender waits for all n under one
// ticket, so two contenders never hold a part each. (With Curator they may, because it waits for each lease
// separately.) Another program may delete the ticket while its owner waits for permits. Then the owner gets
// TicketRevoked and gives its part back; otherwise it and the next in line would wait for each other.
//
// Fixed permits are a number that all users agree on. Shared permits are stored in a znode of Curator's SharedCount:
// four bytes, big-endian. If the number is lowered, held leases stay, and no contender is admitted until enough are
// released. Lost reply, suspended, expired, deleted directories, numbers used up: as in Mutex, for the ticket and for
// each lease. If another program deletes a lease, its permit is free while its holder may not know; only the fence
// protects then.
class Semaphore
{
public:
    using Permits = std::variant<int, zk::Path>; // fixed, or the shared number's node

    Semaphore(zk::Client &zk, zk::Path path, Permits permits);

    // Waits until n permits are free. `about` is stored in the leases. Throws SessionLost, TicketRevoked,
    // NumbersUsedUp; std::invalid_argument if n is less than 1 or more than the permits; zk::Error if the shared number
    // is missing.
    async::Task<std::vector<Lease>> acquire(int n = 1, QByteArray about = {});

    // Returns nothing if n permits are not free, because the others are held or earlier contenders wait for them. It
    // never waits for a lease. It does wait for earlier contenders that are being admitted while enough permits are
    // free. That takes a few round trips each, or until its session ends if one of them hangs. Three round trips
    // without other contenders. (Curator's, with a time-out of zero, fails if it meets another contender.) Throws the
    // errors of acquire().
    async::Task<std::optional<std::vector<Lease>>> tryAcquire(int n = 1, QByteArray about = {});

    // Whether a child may stand at a semaphore's path.
    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::Semaphore, name); }

    // The leases in their order, held or waiting for permits. Contenders that wait for admission are left out.
    async::Task<std::vector<Participant>> participants() { return recipes::participants(m_zk, m_leases); }

private:
    // Leases that were created and are not granted yet.
    struct Asked {
        std::vector<Ticket> tickets;
        std::optional<QByteArrayList> seen; // the leases, listed with the last create

        bool allIn(const QByteArrayList &names) const;
    };
    struct Watches {
        zk::Watch leases;
        zk::Watch permits;
        zk::Watch ticket; // acquire: on its own ticket; try: on the one before it
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

    zk::Client &m_zk;
    zk::Path m_locks;
    zk::Path m_leases;
    Permits m_permits;
};

} // namespace drover::recipes
