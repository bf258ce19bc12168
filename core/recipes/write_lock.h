#pragma once

#include "async/task_group.h"
#include "recipes/mutex.h"

namespace drover::recipes {

// A lock with a listener, for callers that are told instead of waiting, in the layout of ZooKeeper's own lock recipe
// (org.apache.zookeeper.recipes.lock.WriteLock). The line is a Mutex's with other names:
//
//     <directory>
//         x-<session id>-0000000007     ephemeral: the lowest number is the owner, whatever the session ids
//         x-<session id>-0000000008     waits; the id is decimal, and has a minus sign from 2^63 on
//
//     lock:   take a ticket; await its turn; call acquired(); watch our own node until it is gone
//     unlock: delete the ticket; call released()
//
// One object is one contender. Errors and failures are those of Mutex, told through released(); our own watch sees
// that another hand has deleted the node. Two contenders of one session, which the original confuses, are told apart
// (Ticket). Destroying the object unlocks without a call.
class WriteLock
{
public:
    // Called from the loop, never from within a call to this class, and may call it. For each lock() that gets as far:
    // acquired() once or not at all, then released() once, with the reason if it was not unlock(): SessionLost,
    // TicketRevoked, NumbersUsedUp.
    struct Listener {
        std::function<void()> acquired = {};
        std::function<void(std::exception_ptr reason)> released = {};
    };

    WriteLock(zk::Coordinator &zk, zk::Path directory, Listener listener)
        : m_zk(zk), m_directory(std::move(directory)), m_listener(std::move(listener))
    {
    }

    // Joins the line; returns at once. Does nothing if we are in it.
    void lock(QByteArray about = {});
    // Leaves the line, from wherever we are in it. Does nothing if we are not.
    void unlock();

    bool isOwner() const { return m_owner; }
    // Our node's path; empty while there is none, or none that we know of.
    QByteArray id() const { return m_ticket ? m_ticket->path().bytes() : QByteArray(); }
    // While isOwner().
    const Fence &fence() const { return m_ticket->fence(); }

private:
    async::Task<void> stand(QByteArray about);
    void leave(const std::exception_ptr &reason);

    zk::Coordinator &m_zk;
    zk::Path m_directory;
    Listener m_listener;
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // what is posted asks whether we are
    bool m_inLine = false;
    bool m_owner = false;
    std::optional<Ticket> m_ticket;
    async::TaskGroup m_standing{[this](const std::exception_ptr &error) { leave(error); }};
};

} // namespace drover::recipes
