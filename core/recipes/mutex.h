#pragma once

#include "recipes/owned_line.h"
#include "recipes/participants.h"

namespace drover::recipes {

// A fair lock of a cluster, re-entrant by owner.
//
//     <directory>                                   persistent
//         _c_<uuid>-lock-0000000007                 ephemeral: the lowest number holds the lock
//         _c_<uuid>-lock-0000000008                 waits, watching 7
//         _c_<uuid>-lock-0000000009                 waits, watching 8 and 7
//
//     acquire: if this owner holds it: the same ticket once more
//              take a ticket; await its turn        -- uncontended: one round trip
//     try:     take a ticket; if others are ahead: delete it
//     release: delete the ticket                    -- none: nobody waits for the reply
//
// The layout is that of Curator's InterProcessMutex, or of ZooKeeper's own lock recipe (see WriteLock).
//
// Lost reply: the node is found again by its mark (Ticket). Suspended: the lock is still ours as long as the session
// lives (Coordinator::aliveUntil), but no write gets through; what is released then is deleted on reconnection.
// Expired: the server deletes the node and the next in line holds the lock, whether this process has noticed or not;
// only the fence protects against what it may still do. Cancelled (the task destroyed, orTimeout): the node is deleted.
// Directory deleted: made again by the next who comes; a holder is not told (but see revocationAsked()) and its fence
// fails; who waited there gets TicketRevoked when it looks again, or a lock whose fence fails. After 2^31 - 1 acquires:
// NumbersUsedUp. Two contenders of one session are two contenders.
//
// Strangers::Refuse is for a directory that other programs use. Accepted are Curator's nodes, ZooKeeper's own and
// kazoo's. (kazoo waits for ours with extra_lock_patterns=["-lock-"]; its nodes do not tell whether it was told so.)
class Mutex final : public Lockable
{
public:
    static Ticket::Form curator() { return "lock-"; }
    static Ticket::Form zooKeeper() { return {"x-", Ticket::Style::BySession}; }

    Mutex(zk::Coordinator &zk, zk::Path directory, Ticket::Form form = curator(),
          Strangers strangers = Strangers::Await)
        : m_zk(zk), m_line(zk, std::move(directory), std::move(form), precedence(strangers))
    {
    }

    // Those whose nodes wait for ours, and ours for theirs.
    static bool accepts(const QByteArray &name)
    {
        return standsInLineOf(NodeKind::Mutex, name) || kindOf(name) == NodeKind::WriteLock
            || kindOf(name) == NodeKind::KazooLock;
    }

    const zk::Path &path() const override { return m_line.directory(); }
    async::Task<Lock> acquire(QByteArray about = {}, Owner owner = Owner()) override
    {
        return m_line.acquire(std::move(about), std::move(owner));
    }
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about = {}, Owner owner = Owner()) override
    {
        return m_line.tryAcquire(std::move(about), std::move(owner));
    }

    // The holder, then those who wait in their order. Throws SessionLost.
    async::Task<std::vector<Participant>> participants() { return recipes::participants(m_zk, path()); }

private:
    static Precedence precedence(Strangers strangers)
    {
        return strangers == Strangers::Refuse ? Precedence().accepting(&Mutex::accepts) : Precedence();
    }

    zk::Coordinator &m_zk;
    OwnedLine m_line;
};

} // namespace drover::recipes
