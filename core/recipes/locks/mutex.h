#pragma once

#include "recipes/locks/fair_lock.h"

namespace drover::recipes {

// A fair lock of a cluster, re-entrant by owner.
//
//     <directory>                                   persistent
//         _c_<uuid>-lock-0000000007                 ephemeral: the lowest number holds the lock
//         _c_<uuid>-lock-0000000008                 waits, watching 7
//         _c_<uuid>-lock-0000000009                 waits, watching 8 and 7
//
//     acquire: if this owner holds it: share its ticket
//              else take a ticket; await its turn   -- uncontended: one round trip
//     try:     take a ticket; if others are ahead: delete it
//     release: delete the ticket                    -- no round trip: the caller does not wait for the reply
//
// The layout is that of Curator's InterProcessMutex, or of ZooKeeper's own lock recipe (see WriteLock).
//
// Lost reply: the ticket finds its node again by the uuid. Suspended: the lock is ours as long as the session lives
// (Client::aliveUntil), but no write reaches the server. A release takes effect when the connection returns. Expired:
// the server deletes the node. The next in line then holds the lock, even if this process has not noticed. Only the
// fence stops this process's late writes. Cancelled (task destroyed, orTimeout): the node is deleted.
//
// Directory deleted: the next contender creates it again. Waiters there get TicketRevoked. The holder gets no report,
// and its fence fails (see also revocationAsked()). Own node deleted while waiting: the waiter gets TicketRevoked at
// once, and never the lock (awaitTurn()). It may acquire again, at the end of the line. After 2^31 - 1 acquires:
// NumbersUsedUp. Two contenders of one session are distinct.
//
// Use Strangers::Refuse for a directory that other programs use. It accepts the nodes of Curator, ZooKeeper's own
// recipe and kazoo. kazoo waits for our nodes only with extra_lock_patterns=["-lock-"], and its nodes do not show
// whether a program has set that.
class Mutex final : public FairLock
{
public:
    static Ticket::Form curator() { return "lock-"; }
    static Ticket::Form zooKeeper() { return {"x-", Ticket::Style::BySession}; }

    Mutex(zk::Client &zk, zk::Path directory, Ticket::Form form = curator(), Strangers strangers = Strangers::Await)
        : FairLock(zk, std::move(directory), std::move(form), LineRules().among(strangers, &Mutex::accepts))
    {
    }

    // Whether nodes of this name wait for ours, and ours for them.
    static bool accepts(const QByteArray &name)
    {
        return standsInLineOf(NodeKind::Mutex, name) || kindOf(name) == NodeKind::WriteLock
            || kindOf(name) == NodeKind::KazooLock;
    }
};

} // namespace drover::recipes
