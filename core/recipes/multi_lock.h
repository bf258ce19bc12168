#pragma once

#include "recipes/lock.h"

#include <functional>

namespace drover::recipes {

// Several locks held at once; all are released with it.
class MultiHold
{
public:
    explicit MultiHold(std::vector<Lock> locks) : m_locks(std::move(locks)) { }

    const std::vector<Lock> &locks() const { return m_locks; }
    bool isHeld() const { return !m_locks.empty(); }

    // All of them are checked in the transaction; for locks of one session.
    zk::Transaction &guard(zk::Transaction &transaction) const;

    void release() { m_locks.clear(); }

private:
    std::vector<Lock> m_locks;
};

// All or none of several locks (Curator's InterProcessMultiLock). It has no znodes of its own.
//
//     acquire: acquire each, in the order of their paths; if one fails, release those before it
//
// Ordered by path and not, as in Curator, by the list: two programs that name the same locks in different orders would
// wait for each other for ever. Java programs have to give theirs in that order (bytes, ascending). While it waits for
// one it holds those before it; a deadline is for all of them together.
class MultiLock
{
public:
    // Told which lock is waited for from now on.
    using Turn = std::function<void(const zk::Path &lock)>;

    // The locks outlive this. Throws std::invalid_argument if two have the same path: one would wait for the other.
    explicit MultiLock(std::vector<Lockable *> locks);

    // Throw what the locks throw.
    async::Task<MultiHold> acquire(QByteArray about = {}, Owner owner = Owner(), Turn onTurn = {});
    async::Task<std::optional<MultiHold>> tryAcquire(QByteArray about = {}, Owner owner = Owner());

private:
    std::vector<Lockable *> m_locks;
};

} // namespace drover::recipes
