#pragma once

#include "recipes/blocks/node_kind.h"
#include "recipes/blocks/ticket.h"

namespace drover::recipes {

// Another program deleted our node while we waited for the other members, so they no longer count us.
class EntryRevoked : public zk::Error
{
public:
    explicit EntryRevoked(const zk::Path &path);
};

// The result of enter(): this member is inside until it leaves or the session ends. Destroying the entry leaves without
// waiting for the others. Movable.
class BarrierEntry
{
public:
    explicit BarrierEntry(Ticket ticket) : m_ticket(std::move(ticket)) { }

    // Check it in every write that only a member may make: the server refuses the write once the member has left or
    // expired.
    const Fence &fence() const { return m_ticket.fence(); }

    // Returns when all members of the round have left or expired. Call it once. If it is cancelled (destruction,
    // orTimeout), our node is deleted at once, and the others end without us. (Curator keeps the node if its name is
    // the lowest, and the others wait for it.) Throws SessionLost. The entry must outlive the task.
    async::Task<void> leave();

private:
    async::Task<void> closeBehind();

    Ticket m_ticket;
};

// Processes begin together and end together (Curator's DistributedDoubleBarrier, kazoo's DoubleBarrier).
//
//     <directory>                                          persistent
//         5f0c...-e1                                       ephemeral: a member, named by its uuid
//         a93b...-07
//         ready                                            persistent: enough members have entered
//
//     enter: create our node, look at ready (watching it), at our node (watching it), list     -- one round trip
//            if ready is of this round: we are in
//            if as many as are needed are listed: create ready, we are in                      -- another one
//            else wait until ready is created, or our node is gone (EntryRevoked)
//     leave: list; of the members that the first list showed and that are still there:
//            if only we are left: delete our node and ready, in one transaction
//            if our name is the lowest: wait until the highest is gone, list again
//            else delete our node, wait until the lowest is gone, list again
//
// leave() looks only at members of its first list, because a faster member may already wait for the next round, and for
// us.
//
// `count` is a threshold, not a limit: a member that enters while a member of the round is still inside is in at once.
// Two entries of one session, or of one object, are two members.
//
// A ready node is left over if the last member of a round expired. With Curator and kazoo it would let the first member
// of the next round in alone. Here it counts only if it is younger than one of the present members, because its maker
// has its own node already. The member that then completes the count replaces it. The last member to leave deletes
// ready together with its own node, so no member can enter between the two.
//
// Cancelled (destruction, orTimeout) before enough members have entered: our node is deleted, even if its create is
// still in transit. From then on no member is let in because of us; members inside go on without us. The caller's
// orTimeout covers all rounds (CURATOR-536: Curator waited its time-out again in every round). Lost replies: each step
// is checked rather than repeated; the uuid makes the create repeatable. Suspended: we go on waiting, and still count
// as inside. Expired: the server deletes our node and the others go on; enter() and leave() throw SessionLost. Parent
// deleted: EntryRevoked. There are no sequence numbers and no versions, so nothing overflows.
//
// With Java members: a Java member that is woken lists again, so it misses its turn if too many have left by then. When
// it leaves, it also waits for members of the next round. Curator's members do so among themselves: use a new directory
// for each round.
class DoubleBarrier
{
public:
    DoubleBarrier(zk::Client &zk, zk::Path directory, int count)
        : m_zk(zk), m_directory(std::move(directory)), m_count(count)
    {
    }

    // Returns when `count` members have entered. `about` is stored in our node for people to read. Throws SessionLost
    // and EntryRevoked.
    async::Task<BarrierEntry> enter(QByteArray about = {});

    // Whether a child may stand in a double barrier's directory. All other children would count as members. kazoo's
    // members are named like leases.
    static bool accepts(const QByteArray &name)
    {
        return standsInLineOf(NodeKind::Barrier, name) || kindOf(name) == NodeKind::KazooSemaphore;
    }

private:
    zk::Client &m_zk;
    zk::Path m_directory;
    int m_count;
};

} // namespace drover::recipes
