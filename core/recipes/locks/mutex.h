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
// Lost reply: the node is found by its mark (Ticket). Suspended: the lock is ours as long as the session lives
// (Client::aliveUntil), but no write reaches the server. A lock that is released then is deleted on reconnection.
// Expired: the server deletes the node, and the next in line holds the lock even if this process has not noticed. Only
// the fence stops this process's late writes. Cancelled (task destroyed, orTimeout): the node is deleted.
//
// Directory deleted: the next contender creates it again. A waiter there gets TicketRevoked. A holder gets no report
// (but see revocationAsked()); its fence fails. A waiter's own node deleted: it gets TicketRevoked at once, and never
// the lock (awaitTurn()). It may acquire again, at the end of the line. After 2^31 - 1 acquires: NumbersUsedUp. Two
// contenders of one session are distinct.
//
// Use Strangers::Refuse for a directory that other programs use. It accepts the nodes of Curator, ZooKeeper's own
// recipe and kazoo. (kazoo waits for our nodes only with extra_lock_patterns=["-lock-"]; its nodes do not show whether
// it was set.)
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
