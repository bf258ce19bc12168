#pragma once

#include "recipes/blocks/node_kind.h"
#include "recipes/blocks/ticket.h"

namespace drover::recipes {

// The children of a line's directory in the order of their creation. Only the sequence numbers are compared, because
// the prefixes differ by writer and library. Children without a number do not belong to the line and are left out.
QByteArrayList sortedBySequence(QByteArrayList names);

// How a line treats nodes of other recipes in its directory. Await: it waits for them by their numbers, which is enough
// among Drover's recipes. Refuse: it throws OtherLayout, because programs in other languages may not wait for our
// nodes.
enum class Strangers { Await, Refuse };

// Which nodes of a line a waiter waits for. `blocks`: a node with a lower number must go first if `blocks` accepts it.
// `isFinal`: if this node was the only one that blocked us and has gone, no new node can be ahead of us. That holds as
// long as numbers only grow, but not behind a node whose owner may call takeBeside().
//
// `accepts`: the names that may stand in the directory. Any other name throws OtherLayout, wherever it stands: we may
// not wait for such a node ahead, and one behind may not wait for us.
struct LineRules {
    using Test = AcceptsName;
    Test blocks = [](const QByteArray &) { return true; };
    Test isFinal = [](const QByteArray &) { return true; };
    Test accepts = [](const QByteArray &) { return true; };

    // With Strangers::Refuse only names that `names` accepts are allowed. The waiter then lists the directory before
    // each turn, because a node of another recipe may have been created since the last listing.
    LineRules among(Strangers strangers, Test names) const
    {
        if (strangers == Strangers::Await)
            return *this;
        return {blocks, [](const QByteArray &) { return false; }, names};
    }
};

// The nodes of `line` ahead of the ticket that block it, the nearest last. Throws TicketRevoked if `line` lacks the
// ticket, and OtherLayout.
QByteArrayList aheadOf(const Ticket &ticket, const QByteArrayList &line, const LineRules &rules = LineRules());

// Waits until no node that blocks the ticket is ahead of it. It watches the ticket's node and the two nodes just ahead.
// So there is no herd, and a release wakes two waiters.
//
//     loop:
//       list the line (the first time as it was when the ticket was taken)
//       if our own node is not in it: TicketRevoked
//       if nothing blocks us: it is our turn
//       watch the nearest ahead, our own node, and the second nearest
//       when the nearest is gone: if the list showed no other node ahead, it is our turn; else list again
//       when the second nearest is gone: list again, while the nearest still holds
//       when our own node has changed or is gone, or the connection has broken: list again
//
// It may be our turn without another listing because numbers only grow. If our list showed one lower number, no node
// can come in below ours. Watching two nodes ahead moves the listing out of the hand-over. The next waiter learns that
// it is next while its predecessor works, and the hand-over costs one message. Hunt et al. watch one node and list
// after its deletion ("ZooKeeper: Wait-free coordination for Internet-scale systems", USENIX ATC 2010, section 2.4).
//
// If another program deletes a waiter's node, the waiter has lost its place and the next one moves up. Both would go on
// if the waiter watched its predecessor's node alone. The server reports deletions in their order, so the watch on our
// own node has fired by then. After a broken connection it reports them in any order, so the waiter lists again.
// TicketRevoked is thrown as soon as the deletion is seen. If our node is deleted after our turn has come, the lock is
// lost, and the fence refuses our writes.
//
// Waits out lost connections; a predecessor that was deleted meanwhile is noticed after the reconnection. Throws
// SessionLost, TicketRevoked and OtherLayout.
// `line` is the listing that Ticket::take() returned beside the ticket. The ticket must outlive the task. Giving it up
// meanwhile ends the task with TicketRevoked.
async::Task<void> awaitTurn(const Ticket &ticket, std::optional<QByteArrayList> line, LineRules rules = LineRules());

// Takes a ticket and awaits its turn. Throws SessionLost, TicketRevoked, NumbersUsedUp and OtherLayout; then it gives
// the ticket up.
async::Task<Ticket> takeTurn(zk::Client &zk, zk::Path directory, Ticket::Form form, QByteArray data,
                             LineRules rules = LineRules());

// Returns a ticket if its turn comes at once; otherwise it gives the ticket up and returns nothing. It waits for a
// server, but never for nodes ahead.
async::Task<std::optional<Ticket>> tryTurn(zk::Client &zk, zk::Path directory, Ticket::Form form, QByteArray data,
                                           LineRules rules = LineRules());

} // namespace drover::recipes
