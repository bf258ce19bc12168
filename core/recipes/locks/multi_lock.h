#pragma once

#include "recipes/locks/lock.h"

#include <functional>

namespace drover::recipes {

// Several locks held at once. Destroying it releases all of them.
class MultiHold
{
public:
    explicit MultiHold(std::vector<Lock> locks) : m_locks(std::move(locks)) { }

    const std::vector<Lock> &locks() const { return m_locks; }
    bool isHeld() const { return !m_locks.empty(); }

    // Makes the transaction check all the locks. They must belong to one session.
    zk::Transaction &guard(zk::Transaction &transaction) const;

    void release() { m_locks.clear(); }

private:
    std::vector<Lock> m_locks;
};

// All or none of several locks (Curator's InterProcessMultiLock). It has no znodes of its own.
//
//     acquire: acquire each, in the order of their paths; if one fails, release those before it
//
// The order is by path, not by the list as in Curator. There, two programs that list the locks in different orders wait
// for each other for ever. Java programs must list theirs in that order (bytes, ascending). While it waits for one lock
// it holds the earlier ones. A deadline applies to all of them together.
class MultiLock
{
public:
    // Called with the lock that acquire() begins to wait for.
    using Turn = std::function<void(const zk::Path &lock)>;

    // The locks must outlive this object. Throws std::invalid_argument if two have one path: one would wait for the
    // other.
    explicit MultiLock(std::vector<Lockable *> locks);

    // These throw the errors of the locks.
    async::Task<MultiHold> acquire(QByteArray about = {}, Owner owner = Owner(), Turn onTurn = {});
    async::Task<std::optional<MultiHold>> tryAcquire(QByteArray about = {}, Owner owner = Owner());

private:
    std::vector<Lockable *> m_locks;
};

} // namespace drover::recipes
