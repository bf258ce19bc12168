#pragma once

#include "async/post_guard.h"
#include "async/task_group.h"
#include "recipes/locks/mutex.h"

namespace drover::recipes {

// A lock that calls a listener instead of making the caller wait, in the layout of ZooKeeper's own lock recipe
// (org.apache.zookeeper.recipes.lock.WriteLock). The line is a Mutex's with other names:
//
//     <directory>
//         x-<session id>-0000000007     ephemeral: the lowest number is the owner, whatever the session ids
//         x-<session id>-0000000008     waits; the id is decimal, and has a minus sign from 2^63 on
//
//     lock:   take a ticket; await its turn; call acquired(); watch our own node until it is gone
//     unlock: delete the ticket; call released()
//
// One object is one contender. The failures are those of Mutex, and released() reports the errors. A watch on our own
// node notices its deletion by another program. Two contenders of one session are distinct (Ticket); the original
// recipe confuses them. Destroying the object unlocks without a call.
class WriteLock
{
public:
    // Called from the loop, never from within a call to this class. The listener may call this class. For each lock()
    // acquired() is called at most once, then released() once. If unlock() was not the cause, released() gets the
    // reason: SessionLost, TicketRevoked or NumbersUsedUp.
    struct Listener {
        std::function<void()> acquired = {};
        std::function<void(std::exception_ptr reason)> released = {};
    };

    WriteLock(zk::Client &zk, zk::Path directory, Listener listener)
        : m_zk(zk), m_directory(std::move(directory)), m_listener(std::move(listener))
    {
    }

    // Joins the line; returns at once. Does nothing if this object is in the line already.
    void lock(QByteArray about = {});
    // Leaves the line, from any place. Does nothing if this object is not in the line.
    void unlock();

    bool isOwner() const { return m_owner; }
    // The path of this contender's node; empty while none is known.
    QByteArray id() const { return m_ticket ? m_ticket->path().bytes() : QByteArray(); }
    // Call it only while isOwner().
    const Fence &fence() const { return m_ticket->fence(); }

private:
    async::Task<void> stand(QByteArray about);
    void leave(const std::exception_ptr &reason);

    zk::Client &m_zk;
    zk::Path m_directory;
    Listener m_listener;
    async::PostGuard m_guard;
    bool m_inLine = false;
    bool m_owner = false;
    std::optional<Ticket> m_ticket;
    async::TaskGroup m_standing{[this](const std::exception_ptr &error) { leave(error); }};
};

} // namespace drover::recipes
