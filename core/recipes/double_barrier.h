#pragma once

#include "recipes/node_kind.h"
#include "recipes/ticket.h"

namespace drover::recipes {

// Our node was deleted by another hand while we waited for the others: nobody counts us any more.
class EntryRevoked : public zk::Error
{
public:
    explicit EntryRevoked(const zk::Path &path);
};

// What enter() gives: we are inside until we leave, or the session ends. Destroying it is leaving without waiting for
// the others. Movable.
class BarrierEntry
{
public:
    explicit BarrierEntry(Ticket ticket) : m_ticket(std::move(ticket)) { }

    // To be checked in every write that only a member may make: refused once it has left or expired.
    const Fence &fence() const { return m_ticket.fence(); }

    // Returns when all who were inside have left or expired. Once. Cancelled (destruction, orTimeout), our own node
    // goes at once nevertheless, and the others end without us; Curator leaves it there if its name is the lowest, and
    // the others waiting for it. Throws SessionLost. The entry must outlive the task.
    async::Task<void> leave();

private:
    async::Task<void> closeBehind();

    Ticket m_ticket;
};

// Processes begin together and end together (Curator's DistributedDoubleBarrier, kazoo's DoubleBarrier).
//
//     <directory>                                          persistent
//         5f0c...-e1                                       ephemeral: a member, named by a uuid of its own
//         a93b...-07
//         ready                                            persistent: enough have come
//
//     enter: create our node, look at ready (watching it), at our node (watching it), list     -- one round trip
//            if ready is of this round: we are in
//            if as many as are needed are listed: create ready, we are in                      -- another one
//            else wait until ready is created, or our node is gone (EntryRevoked)
//     leave: list; of those that the first list showed, and that are still there:
//            if only we are left: delete our node and ready, in one transaction
//            if our name is the lowest: wait until the highest is gone, list again
//            else delete our node, wait until the lowest is gone, list again
//
// Only those of the first list, because somebody faster may be waiting for the next round already, and for us.
//
// `count` is a threshold, not a limit: who comes later, while one of those who began is still inside, is in at once.
// Two entries of one session, or of one object, are two members.
//
// A ready that is left over, because the last of a round expired, would let the first of the next round in alone (it
// does with Curator and kazoo). Ours count it only if it is younger than one of the members: whoever makes it has its
// own node already. Who then completes the count replaces it. The last one out deletes ready together with its own
// node, so that nobody can come in between the two.
//
// Cancelled (destruction, orTimeout) before the others have come: our node is deleted, also one whose create is still
// on its way, and nobody else is let in on our account from then on; those who have been let in go on without us. The
// deadline is the caller's one orTimeout, which nothing restarts (CURATOR-536 waited its time-out anew in every round).
// Lost replies: every step is looked at again rather than repeated; the uuid makes the create repeatable. Suspended: we
// wait on and still count as inside. Expired: the server deletes our node and the others go on; enter() and leave()
// throw SessionLost. Parent deleted under us: EntryRevoked. No sequence numbers and no versions are used: nothing
// overflows.
//
// With Java members: one that is woken lists again, so it misses its turn if too many have left by then, and it waits
// for members of the next round when it leaves. That is so among Curator's own as well: give each round its directory.
class DoubleBarrier
{
public:
    DoubleBarrier(zk::Coordinator &zk, zk::Path directory, int count)
        : m_zk(zk), m_directory(std::move(directory)), m_count(count)
    {
    }

    // Returns when `count` members have entered. `about` is stored in our node for people to read. Throws SessionLost,
    // EntryRevoked.
    async::Task<BarrierEntry> enter(QByteArray about = {});

    // The children of a double barrier: every other one would count as a member. kazoo's have the names of leases.
    static bool accepts(const QByteArray &name)
    {
        return standsInLineOf(NodeKind::Barrier, name) || kindOf(name) == NodeKind::KazooSemaphore;
    }

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
    int m_count;
};

} // namespace drover::recipes
